# make            build ./apsp and the library libapsp, with CUDA where nvcc is
# make demo       install what is missing, build, solve a graph and verify it
# make test       build and run all tests this machine can run      make gpu-test      the same and more, with a GPU
# make python     install what is missing, and the Python package into a virtual environment, build/python/venv
# make python-test                run the package's tests there     make wheel         make a wheel of it: scripts/wheel.sh
# make bench      build the programs with Google Benchmark          make gpu-sanitize  the GPU's solvers under compute-sanitizer
# make sanitize   the tests under ASan, UBSan and LeakSanitizer     make races         the CPU solvers under ThreadSanitizer
# make fuzz       fuzz every reader for SECONDS=60                  make mutants       break what is tested: do tests fail?
# make odr        each file by itself: does it include what it needs, and does each name mean one thing?
# make lean       the program without the course, and the library alone: does each lack nothing?
# make soak       the long run: these and what depends on times; PARTS="races sanitize": some of it
# make install    install program and library below PREFIX=/usr/local, and below DESTDIR
# make deb        a Debian package of both in dist/; CHECK=yes: and install it on a new Debian
# make compile_commands.json      for editors                       make clean         remove what was built
#
# ARCHS="80 90"   GPU architectures ("all": every one known; default: the GPU present, else a portable set)
# CUDA_HOME=/usr/local/cuda       where nvcc is                     CXX=, CXXFLAGS=    the compiler and its flags
# CUDA=no, MPI=no, NCCL=no, AMD=no, COURSE=no, WITHOUT="lzma zip"   build without it
# UNITY=no, PCH=no                compile each file by itself       V=1                show commands
#
# This page calls CMake, whose files say how all is built: CMakeLists.txt and cmake/.
SHELL := /bin/bash
.PHONY: all apsp library demo python python-test wheel test gpu-test what-tests-run bench gpu-sanitize sanitize fuzz races odr lean mutants soak install deb clean FORCE
.SUFFIXES:
MAKEFLAGS += --no-print-directory
all: apsp

BUILD ?= build
NVCC := $(if $(filter no,$(CUDA)),,$(or $(if $(CUDA_HOME),$(wildcard $(CUDA_HOME)/bin/nvcc)),$(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc)))
COMMA := ,
VARIANT := $(BUILD)/$(if $(NVCC),cuda,nocuda)$(SANITIZE:%=-$(subst $(COMMA),-,$(SANITIZE)))

# ---- building: CMake looks for what is there, and Ninja, if there is one, builds -------------------------------------
set = $(if $($(1)),'-DAPSP_$(1)=$(if $(filter no,$($(1))),OFF,$($(1)))')
OPTIONS = -DAPSP_CUDA=$(if $(NVCC),ON -DAPSP_NVCC=$(NVCC),OFF) $(foreach o,ARCHS MPI NCCL AMD COURSE UNITY PCH WITHOUT SANITIZE,$(call set,$o)) \
  -DAPSP_WERROR=$(if $(WERROR),ON,OFF) $(if $(filter-out default undefined,$(origin CXX)),'-DCMAKE_CXX_COMPILER=$(firstword $(CXX))') \
  '-DCMAKE_CXX_FLAGS=$(or $(CXXFLAGS),-O2 -g1) $(wordlist 2,9,$(CXX))' $(if $(REVISION),-DAPSP_REVISION=$(REVISION) -DAPSP_DIRTY=$(DIRTY))
# As many jobs as cores, unless make was called with -j.
JOBS = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(shell nproc))
build = cmake --build $(VARIANT) --parallel $(JOBS) $(if $(V),--verbose) --target $(1) $(if $(findstring s,$(firstword -$(MAKEFLAGS))),-- --quiet)

# It looks again whenever something is built, because libraries may have been installed since; with other options it begins anew.
$(VARIANT)/options: FORCE
	@for program in $(if $(filter-out default undefined,$(origin CXX)),$(firstword $(CXX)),c++) cmake; do command -v $$program > /dev/null || { \
	  echo "✗ $$program: not found. scripts/install_deps.sh installs or names all that is needed." >&2; exit 1; }; done
	@mkdir -p $(VARIANT) 2> /dev/null && test -w $(VARIANT) || { \
	  echo "✗ $(VARIANT): cannot be written. Build elsewhere, for example: make BUILD=/tmp/build" >&2; exit 1; }
	@echo "$(OPTIONS)" | cmp -s - $@ || rm -rf $@ $(VARIANT)/CMakeCache.txt $(VARIANT)/CMakeFiles
	@said=$$(cmake -S . -B $(VARIANT) $(if $(shell command -v ninja),-G Ninja) $(OPTIONS) 2>&1) || { \
	  grep -E "^-- [✓✗]|^  |^CMake Error: " <<< "$$said" >&2; rm -f $(VARIANT)/CMakeCache.txt; exit 1; }; \
	  $(if $(DEPS_SHOWN),true,grep "^-- [✓✗]" <<< "$$said" || true); echo "$(OPTIONS)" > $@

# Only this rule writes ./apsp. Tests use the program of their variant, and leave the user's as it is.
apsp: $(VARIANT)/options
	@$(call build,apsp libapsp libapsp_static)
	@ln -sfn $(notdir $(VARIANT)) $(BUILD)/latest
	@cmp -s $(VARIANT)/apsp apsp || cp -f $(VARIANT)/apsp apsp 2> /dev/null || \
	  echo "./apsp: cannot be written here. The program is $(VARIANT)/apsp; for run.sh: APSP=$(VARIANT)/apsp ./run.sh" >&2
library: $(VARIANT)/options
	@$(call build,libapsp libapsp_static)
	@ln -sfn $(notdir $(VARIANT)) $(BUILD)/latest
what-tests-run bench: $(VARIANT)/options
	@$(call build,$@)
# One of the programs: two calls of CMake must not build in one folder at the same time.
.NOTPARALLEL:
$(VARIANT)/%: $(VARIANT)/options FORCE
	@$(call build,$(@F))
compile_commands.json:
	@$(MAKE) DEPS_SHOWN=1 BUILD=$(BUILD)/editor UNITY=no PCH=no $(BUILD)/editor/$(notdir $(VARIANT))/options
	ln -sf $(BUILD)/editor/$(notdir $(VARIANT))/$@ $@

demo:
	@scripts/install_deps.sh
	@$(MAKE) apsp
	./apsp data/demo.bin --kernel ref,apsp --verify

# ---- the Python package ----------------------------------------------------------------------------------------------
VENV := $(BUILD)/python/venv
# WITHIN=build/nocuda: the package takes what make compiled there. The next make there configures anew.
python:
	@scripts/install_deps.sh --python
	@test -x $(VENV)/bin/pip || python3 -m venv $(VENV)
	$(WITHIN:%=@rm -f %/options)
	$(VENV)/bin/pip install --quiet $(if $(filter no,$(CUDA)),--config-settings cmake.define.APSP_CUDA=OFF) $(WITHIN:%=--config-settings build-dir=%) "$(CURDIR)$(EXTRA)"
	@$(VENV)/bin/python -c "import apsp; apsp.show_config()"
	@echo "Now, for example: source $(VENV)/bin/activate && python -c 'import apsp; help(apsp)'"
python-test:
	@$(MAKE) python EXTRA="[test]"
	OMP_WAIT_POLICY=passive $(VENV)/bin/python -m pytest -q -n $(if $(filter soak,$(MARK)),0,$(or $(filter 1 2 3,$(JOBS)),4)) --durations=8 --durations-min=3 $(if $(MARK),-m $(MARK),-m "not soak") python/tests
wheel:
	@scripts/wheel.sh

# ---- tests ------------------------------------------------------------------------------------------------------------
# It goes on if something is missing: tests that need it skip. SUITES="cli_test …": only these of the tests in Python,
# besides those of the parts. SOAK=1: the tests that depend on times, and no others.
test gpu-test:
	@scripts/install_deps.sh --tests $(if $(SOAK),--browser) || true
	@$(MAKE) what-tests-run
	@python3 tests/run.py --unit $(VARIANT)/tests/run --apsp $(VARIANT)/apsp $(if $(NVCC),--delays $(VARIANT)/tests/delays) \
	  $(if $(NVCC),--ptxas $(VARIANT)/tests/apsp.sm_90.ptxas) $(if $(filter gpu-test,$@),--require-gpu) $(if $(SUITES),--suites $(SUITES)) $(if $(SOAK),--soak)

gpu-sanitize:
	$(if $(NVCC),,$(error make gpu-sanitize needs CUDA))
	@$(MAKE) $(addprefix $(VARIANT)/,apsp tests/run tests/undelayed)
	@tests/gpu_sanitize.sh $(VARIANT) $(dir $(NVCC))

# What is built with sanitizers lies apart; a tool's own name for it stands in the folder's.
SANITIZED := $(BUILD)/nocuda-address-undefined
FUZZER := $(BUILD)/nocuda-fuzzer-address-undefined/tests/fuzz/fuzzer
RACES := $(BUILD)/nocuda-thread
CLANG ?= clang++
SECONDS ?= 60
sanitized = $(MAKE) DEPS_SHOWN=1 CUDA=no WERROR= SANITIZE=$(1)
with_clang = $(call sanitized,$(1)) PCH=no CXX="$(CLANG) -Wno-pass-failed" # it vectorises less than GCC, and says so

# SHARE=K/N: one of N shares of the tests, K from 0 on. Without the checks of pointers, which `make fuzz` has and most of
# which AddressSanitizer has, too, GCC is done in two thirds of the time.
SEEN_BY_ASAN := -fno-sanitize=null,alignment,object-size,vptr
sanitize:
	+@$(call sanitized,address$(COMMA)undefined) CXXFLAGS="-O1 -g1 -Wno-maybe-uninitialized $(SEEN_BY_ASAN)" $(addprefix $(SANITIZED)/,apsp tests/run libapsp libapsp_static)
	@tests/sanitize.sh $(SANITIZED) $(SHARE)
fuzz:
	@scripts/install_deps.sh --clang
	@$(MAKE) DEPS_SHOWN=1 $(VARIANT)/tests/run
	+@$(call with_clang,fuzzer$(COMMA)address$(COMMA)undefined) $(FUZZER)
	@tests/fuzz/fuzz.py --fuzzer $(FUZZER) --unit $(VARIANT)/tests/run --corpus $(BUILD)/fuzz --seconds $(SECONDS) $(RECORD:%=--record %)
# LLVM's libomp tells ThreadSanitizer of its barriers; GCC's libgomp does not, and everything looks like a race.
races:
	@scripts/install_deps.sh --clang
	+@$(call with_clang,thread) $(addprefix $(RACES)/,apsp tests/callers)
	@tests/races.sh $(RACES)/apsp $(RACES)/tests/callers
mutants: apsp
	@tests/mutants.py $(SHARE:%=--share %)
soak:
	@tests/soak.py $(PARTS)
# The linker sees all files at once, and so whether two of them mean different things by one name.
odr:
	@$(MAKE) DEPS_SHOWN=1 CUDA=no MPI=no UNITY=no PCH=no BUILD=$(BUILD)/odr CXX="$(or $(CXX),c++) -flto=auto -Werror=odr" CXXFLAGS=-O0 \
	  $(BUILD)/odr/nocuda/apsp && echo "every name means one thing"

lean:
	@$(MAKE) DEPS_SHOWN=1 CUDA=no COURSE=no BUILD=$(BUILD)/lean $(BUILD)/lean/nocuda/apsp
	@scripts/check_lean.sh $(BUILD)/lean/nocuda/apsp

# ---- installing -------------------------------------------------------------------------------------------------------
# What was built last, or FROM=: nothing is looked for or compiled, because root's environment may lack nvcc.
PREFIX ?= /usr/local
FROM ?= $(BUILD)/latest
install: $(if $(wildcard $(FROM)/apsp),,all)
	cmake --install $(FROM) --prefix $(PREFIX)
deb: apsp
	@scripts/deb.sh $(VARIANT)
clean:
	rm -rf $(BUILD) apsp compile_commands.json
