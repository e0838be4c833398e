# `make demo` and `make test` prepare by themselves all that they need; so do the others.
PYTHON ?= python3
TOOL := $(PYTHON) tests/tooling/cli.py

.PHONY: help demo test test-long budget training search check release-check audit bench mutants frontend wheel format schema reference messages pictures lock clean

help:            ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## / - /'

demo:            ## A study to try, on http://127.0.0.1:8000 (another port: make demo PORT=8001)
	@$(TOOL) demo $(ARGS)

test:            ## What a change can break by itself, on SQLite; on PostgreSQL and Redis, if they are there, what SQL can change
	@$(TOOL) test $(ARGS)

test-long:       ## The same promises in the real world (half an hour), and all that uses a database on PostgreSQL
	@$(TOOL) test-long $(ARGS)

budget:          ## Commit to what the last `make test` cost (.ci/budget)
	@$(TOOL) budget

training:        ## Install what training needs (torch; half a minute, 1 GB), so that `make test` tests it too
	@$(TOOL) training

search:          ## The tests of properties, with examples that nobody tried yet
	@$(TOOL) run python -m pytest -q -m hypothesis -n auto --hypothesis-profile=default

check:           ## Lint, format, types, imports, migrations, API schema, deployment settings
	@$(TOOL) check

release-check:   ## All of that, and what only a release must have: a translation of every sentence
	@$(TOOL) release-check

audit:           ## Known vulnerabilities of all packages, lists of them (SBOM, in .state/audit), secrets in the files
	@$(TOOL) audit

bench: frontend  ## The benchmarks, as tables
	@$(TOOL) run python -m tests.benchmarks

mutants:         ## Faults put into the code: does a test notice? (make mutants TARGET=stats SAMPLE=200 SEED=1)
	@$(TOOL) run python -m tests.mutation $(TARGET) $(if $(SAMPLE),--sample=$(SAMPLE)) $(if $(SEED),--seed=$(SEED)) \
		$(if $(JOBS),--jobs=$(JOBS))

frontend:        ## Build the pages
	@$(TOOL) frontend

wheel: frontend  ## Build the wheel, with the pages inside (dist/hlvstudy-*.whl)
	@$(TOOL) run uv build -q --wheel --out-dir dist

format:          ## Format the code
	@$(TOOL) run sh -c 'ruff check --fix-only . && ruff format . && cd frontend && npm run format'

schema:          ## Write the OpenAPI schema and the types that the pages' check takes from it (in .state/api)
	@$(TOOL) schema

reference:       ## Write the reference in docs/reference from the code
	@DEBUG=1 $(TOOL) run sh -c 'python -m tests.lab.reference && \
		for page in permissions house; do python -m tests.$$page $$(test $$page = house && echo --page) \
		> .state/$$page.md && mv .state/$$page.md docs/reference/$$page.md || exit 1; done'

pictures: frontend ## Take the pictures of the pages for the documentation, and draw a sheet of all figures (.state/figures)
	@$(TOOL) run python -m pytest -q tests/browser/pictures.py
	@$(TOOL) run python -m pytest -q tests/metaeval/figures/sheet.py
	@HLV_TOUR=docs/images $(TOOL) run python -m pytest -q -m "" tests/browser/test_story.py

messages:        ## Bring the catalogues of translations up to date with the code
	@$(TOOL) run sh -c 'cd frontend && npm run messages'

lock:            ## Renew constraints.txt and constraints-training.txt from the requirements (they name no registry)
	@$(TOOL) run sh -c '{ echo "# Written by \`make lock\`: the versions of all packages, direct and indirect." && \
		uv pip compile -q --no-header --no-annotate --strip-extras --no-emit-index-url --no-emit-find-links \
		requirements-dev.txt; } > .state/constraints.txt && mv .state/constraints.txt constraints.txt && \
		python -m tests.tooling.locking'

clean:           ## Remove what was prepared (the environment, the build, the demo's data)
	@rm -rf .venv .state static frontend/node_modules frontend/dist dist
