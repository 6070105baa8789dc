#!/usr/bin/env bash
# Finds tests that depend on the machine: runs what `make test` runs N times in a row, every fourth time beside two busy processes.
#
#   scripts/flaky.sh 20                                      the whole suite, 5 of 20 times under load
#   scripts/flaky.sh 50 tests/interfaces/test_cli_keep.py -n 0    a part of it; what follows N goes to pytest
#
# Prints how each run went, then every test that failed with how often and under which condition. Exits with 1 if any did.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    printf 'usage: scripts/flaky.sh N [argument of pytest ...]\n' >&2
    exit 2
}
[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || usage
runs=$1
shift

suite=$(make --silent --dry-run test | tail -n 1)
[[ -x ${suite%% *} ]] || { printf '%s is missing; `make test` installs it\n' "${suite%% *}" >&2; exit 2; }

place=$(mktemp -d "${TMPDIR:-/tmp}/flaky.XXXXXX")
started=() # process groups of ours that may still be running

end_started() {
    for group in "${started[@]}"; do kill -- "-$group" 2>/dev/null || true; done
    for group in "${started[@]}"; do wait "$group" 2>/dev/null || true; done
    started=()
}
trap end_started EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

busy() { while kill -0 "$$" 2>/dev/null; do :; done; } # ends with this script, even one that was killed

one_run() { # what to write to; the rest goes to pytest
    local log=$1 code=0
    shift
    bash -c "exec $suite \"\$@\"" flaky "$@" >"$log" 2>&1 </dev/null &
    started+=("$!")
    wait "$!" || code=$?
    end_started # the load, and whatever a test left running
    return "$code"
}

set -m # each process that is started here leads a group of its own, and hears Ctrl-C as a person's would
failed=0
for ((run = 1; run <= runs; run++)); do
    condition=quiet
    if ((run % 4 == 0)); then
        condition=loaded
        for _ in 1 2; do
            busy &
            started+=("$!")
        done
    fi
    log=$place/run-$run-$condition.log
    since=$SECONDS
    if one_run "$log" "$@"; then
        how=passed
        rm "$log"
    else
        how=FAILED
        failed=$((failed + 1))
    fi
    printf 'run %*d of %d  %-6s  %s  %4d s\n' "${#runs}" "$run" "$runs" "$condition" "$how" $((SECONDS - since))
done

if ((failed == 0)); then
    rmdir "$place"
    printf 'none of %d runs failed\n' "$runs"
    exit 0
fi

printf '\n%d of %d runs failed:\n' "$failed" "$runs"
for log in "$place"/run-*.log; do
    condition=${log##*-}
    names=$(sed -nE 's/^(FAILED|ERROR) (.*)$/\2/p' "$log" | sed 's/ - .*//' | sort -u)
    while IFS= read -r name; do
        printf '%s  %s\n' "${condition%.log}" "$name"
    done <<<"${names:-no test is named; see ${log##*/}}"
done | sort | uniq -c | sort -rn
printf '\nWhat the failed runs printed is in %s\n' "$place"
exit 1
