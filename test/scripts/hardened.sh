#!/usr/bin/env bash
# The installed programs of a build are hardened: what the compiler was asked for is in them. So are
# their assertions, which belong to every build type.
#
#   test/scripts/hardened.sh BUILD
#
# What depends on the compiler or the processor is looked for where the configuration of the build
# says that there is support for it.
set -euo pipefail

build=${1:?usage: test/scripts/hardened.sh BUILD}
failed=0

fail()
{
    echo "hardened: error: $1" >&2
    failed=1
}

# has NAME: did the configuration find it?
has()
{
    grep -qE "^HAS_$1:INTERNAL=(1|ON|TRUE)$" "$build/CMakeCache.txt"
}

# is_optimized: is the build of a type that is optimized by CMake's own flags?
is_optimized()
{
    grep -qE '^CMAKE_BUILD_TYPE:[A-Z]+=(Release|RelWithDebInfo|MinSizeRel)$' "$build/CMakeCache.txt"
}

commands=$(cat "$build/compile_commands.json")
for program in doyend doyen doyen-witness doyen-replay doyen-lab; do
    file=$build/$program
    header=$(readelf --wide --file-header --program-headers --dynamic "$file")
    symbols=$(nm --dynamic "$file")
    [[ $header == *'Type:'*DYN* ]] || fail "$program: its place in memory is fixed (no PIE)"
    [[ $header == *GNU_RELRO* ]] || fail "$program: no RELRO"
    [[ $header == *BIND_NOW* || $header == *'Flags:'*NOW* ]] || fail "$program: no BIND_NOW"
    [[ $header =~ GNU_STACK[^$'\n']*RWE ]] && fail "$program: its stack is executable"
    [[ $symbols == *__stack_chk_fail* ]] || fail "$program: no stack protector"
    [[ $symbols == *__assert_fail* ]] || fail "$program: built without its assertions"
    if is_optimized; then
        [[ $symbols == *__snprintf_chk* ]] || fail "$program: not fortified"
    fi
    if has CET; then
        # The C library's own start is not marked everywhere, so that the linker leaves the note
        # out; the functions must be marked all the same.
        marked=$(objdump --disassemble=main --no-show-raw-insn "$file" | grep -c endbr64 || true)
        [ "$marked" -gt 0 ] || fail "$program: main is not marked as the target of a jump (CET)"
    fi
done

if is_optimized && { has ZERO_LOCALS || has ZERO_LOCALS_IF_MEANT; }; then
    [[ $commands == *-ftrivial-auto-var-init=zero* ]] || fail "locals are not zeroed"
fi
if is_optimized && has FORTIFY_3; then
    [[ $commands == *-D_FORTIFY_SOURCE=3* ]] || fail "fortified at a lower level than 3"
fi
if has STACK_CLASH; then
    [[ $commands == *-fstack-clash-protection* ]] || fail "no protection from stack clashes"
fi
exit $failed
