# SPDX-License-Identifier: BSD-2-Clause
# A function for CMake: a test of ctest that runs commands on hosts with RDMA devices.
#
#   include(Verbatim.cmake)
#   verbatim_test(pingpong ON "a=./server" "b=./client a" OPTIONS --kernel=6.1 TIMEOUT 60)
#
# ctest skips the test where there is no place to run in, and prints the report of verbatim exec with
# --output-on-failure. Each test has hosts of its own, so ctest -j may run several.
include_guard()
find_program(VERBATIM verbatim REQUIRED)

# The exit status of "no place to run in"; no command of a test may end with it.
set(VERBATIM_NO_PLACE 199)

function(verbatim_test name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "ON;OPTIONS")
	if(arg_UNPARSED_ARGUMENTS OR NOT arg_ON)
		message(FATAL_ERROR "verbatim_test(NAME ON HOST=COMMAND... [OPTIONS OPTION...] [TIMEOUT SECONDS])")
	endif()
	if(NOT arg_TIMEOUT)
		set(arg_TIMEOUT 60)
	endif()
	list(TRANSFORM arg_ON PREPEND "--on=")
	add_test(NAME ${name} COMMAND ${VERBATIM} exec --timeout=${arg_TIMEOUT} --status=place=${VERBATIM_NO_PLACE}
		${arg_OPTIONS} ${arg_ON})
	set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE ${VERBATIM_NO_PLACE})
endfunction()
