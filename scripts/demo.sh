#!/usr/bin/env bash
# The demonstration: a copy of the sample vault is indexed, asked, edited and put back. The checkout stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -R vault "$place/vault"
rm -rf "$place/vault/.memoryclaw"
cd "$place/vault"

export MEMORYCLAW_VAULT=$PWD HOME=$place MEMORYCLAW_NOW=2026-04-20T08:00:00Z
unset "${!GIT_@}"
git init --quiet --initial-branch=main
git config user.name Nora
git config user.email nora@example.org
git add --all
git commit --quiet --message "My notes so far"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
    printf '\n\033[32m$\033[0m %s\n' "$(printf '%q ' "$@" | sed "s/\\\\ / /g; s/\\\\'/'/g; s/\\\\?/?/g")"
    "$@"
}

say "1. Index a year of one studio's memory: plain Markdown files"
run memoryclaw sync

say "2. Ask. Each answer says which words matched where, and its score is the sum of the terms shown"
run memoryclaw search "When is the boathouse deadline?" --limit 2 --explain
run memoryclaw search "Which antibiotics must she not take?" --limit 2 --explain
run memoryclaw recall "What coffee does Nora drink now?" --budget 300 --trace

say "3. Change one fact: exactly one line, and a commit that holds nothing else"
run memoryclaw edit "semantic/preferences#coffee.value" --set "value=black filter coffee"
run git --no-pager log --oneline
run git --no-pager show --format= --unified=0 HEAD

say "4. Think again"
run memoryclaw undo "$(git rev-parse --short HEAD)"
run git --no-pager log --oneline
run memoryclaw facts coffee
