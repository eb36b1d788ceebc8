# SPDX-License-Identifier: BSD-2-Clause
# Completion of verbatim for fish. The program itself says which words may stand where the
# cursor is (verbatim complete), so this file has no list of options.

function __verbatim_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] complete -- $words[2..-1] "$current" 2>/dev/null | while read -l line
        switch $line
            case :files
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
            case :dirs
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- "$current") ''
            case '*'
                echo $line
        end
    end
end

complete -c verbatim -f -a '(__verbatim_complete)'
