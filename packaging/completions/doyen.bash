# Completion of doyen, doyend, doyen-witness, doyen-replay and doyen-lab for bash. Verbs and options are those that --help
# names, so they are those of the installed programs; names are those of the members.

_doyen_options()
{
    "$@" --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

_doyen_members()
{
    doyen members --format '{name}' 2>/dev/null
}

_doyen()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local verb='' words='' i

    COMPREPLY=()
    if [[ ${program##*/} == doyen ]]; then
        for ((i = 1; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            -c | --control | -u | --url | --expect-user) i=$((i + 1)) ;;
            -*) ;;
            *)
                verb=${COMP_WORDS[i]}
                break
                ;;
            esac
        done
    fi
    case $previous in
    -c | --control | --config | --hooks | --key | --make-key | --record | --reseal | --resume | --root | --state-dir | --svg)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    --coordinator | --gone | --name)
        [[ -z $verb ]] || words=$(_doyen_members)
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
        ;;
    --guard) words='none majority strict' ;;
    --profile) words='local lan wan' ;;
    --policy) words='first oldest priority' ;;
    --state) words='alive silent suspect failed left moved replaced behind' ;;
    --election) words='oldest bully ring token-ring sequential newest bully-newest ring-newest token-ring-newest sequential-newest' ;;
    --auth) words='require accept' ;;
    --best) words='lowest highest' ;;
    --ids) words='drawn age' ;;
    --starters) words='one all' ;;
    --sandbox) words='on off' ;;
    --log-level) words='error warn info debug' ;;
    --log-format) words='auto text json' ;;
    esac
    if [[ $verb == @(hook|report) && $word != -* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    fi
    if [[ -n $words ]]; then
        :
    elif [[ ${program##*/} != doyen ]]; then
        words=$(_doyen_options "$program")
    elif [[ -z $verb ]]; then
        words="$(_doyen_options "$program") $("$program" --help 2>/dev/null |
            awk '/^  [a-z]/ { print $1 }')"
    else
        words=$(_doyen_options "$program" "$verb")
        case $verb in
        transfer | drain | undrain | remove | why | fault) words+=" $(_doyen_members)" ;;
        keys) words+=" reload use remove" ;;
        voters) words+=" add remove replace set $(_doyen_members)" ;;
        tag) words+=" set unset" ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _doyen doyen doyend doyen-witness doyen-replay doyen-lab
