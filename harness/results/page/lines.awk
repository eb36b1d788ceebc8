# SPDX-License-Identifier: BSD-2-Clause
# Prints the lines of a file as a NULL-terminated list of strings in C, called as the variable name says.
BEGIN { printf "extern const char *const %s[];\nconst char *const %s[] = {\n", name, name }
{
	gsub(/["\\?]/, "\\\\&")
	printf "\t\"%s\",\n", $0
}
END { print "\t0,\n};" }
