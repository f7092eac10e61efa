# make            build ./apsp, with CUDA where nvcc is          make demo      install, build, run: two minutes
# make test       build and run all tests this machine can run   make gpu-test  the same and more, with a GPU
# make bench      build the Google Benchmark programs            make clean     remove what was built
# make gpu-sanitize   run the GPU's solvers under compute-sanitizer
# make sanitize   host tests under ASan, UBSan and LeakSanitizer make races     the CPU solvers under ThreadSanitizer
# make fuzz       fuzz every reader for SECONDS=60; this and make races take clang
# make mutants    break what docs/faults.md and solvers promise: do their tests fail?
# make odr        link with -flto: does a name mean two things?
# make install    install ./apsp, its scripts, manual page and bash completion, and the library libapsp with its headers,
#                 CMake package and apsp.pc, below DESTDIR and PREFIX=/usr/local
#
# ARCHS="60"      GPU architectures to compile for ("all": every one known; default: the GPU present, else
#                 a portable set)                                CUDA_HOME=/usr/local/cuda   where nvcc is
# CUDA=no, MPI=no, NCCL=no, AMD=no build without it               V=1                         show commands
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:
all:
.SECONDARY:
.PHONY: $(SANITIZER_RUNS) cuda-objects all library demo test gpu-test what-tests-run gpu-sanitize sanitize fuzz races odr mutants bench install clean deps FORCE

BUILD ?= build
CXXFLAGS ?= -O2 -g1
SANITIZING := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# A file sees its own layer and those below it: program, course, harness, engine.
LAYERS := engine harness course program
SEES = $(LAYERS)
see = -I. -Iinclude $(SEES:%=-Isrc/%)
ALL_CXXFLAGS = -std=c++17 -Wall -Wextra -Wshadow -fPIC -fvisibility=hidden -fopenmp $(see) -MMD -MP $(if $(WERROR),-Werror) \
  $(patsubst %,-DHAVE_%,$(UNPACKERS) $(READERS)) $(CXXFLAGS) $(SANITIZING)
LIBS = $(MPI_LIBS) $(AMD_LIBS) -lfmt -lz $(patsubst %,-l%,$(UNPACKERS) $(READERS)) -lcrypto -lseccomp -ldl -fopenmp $(SANITIZING)
say = $(if $(V),,@echo "  $(1)";)
HASH := \#
has = $(if $(shell echo '$(HASH)include <$(1)>' | $(CXX) -std=c++17 -E -x c++ - -o /dev/null 2>/dev/null && echo yes),✓,✗)

# ---- CUDA: is it here, and for which GPUs -------------------------------------------------------------
NVCC := $(if $(filter no,$(CUDA)),,$(or $(if $(CUDA_HOME),$(wildcard $(CUDA_HOME)/bin/nvcc)),$(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc)))
ifneq ($(NVCC),)
  CUDA_ROOT := $(abspath $(dir $(realpath $(NVCC)))..)
  CUDA_VERSION := $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  KNOWN := $(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code))
  PRESENT := $(sort $(subst .,,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | grep -E '^[0-9.]+$$')))
  EVERY := 60 70 75 80 86 89 90 100 120
  ifeq ($(ARCHS),all)
    WANTED := $(filter $(KNOWN),$(EVERY))
  else
    WANTED := $(or $(ARCHS),$(PRESENT),$(filter $(KNOWN),70 75 80 90))
  endif
  UNKNOWN := $(filter-out $(KNOWN),$(WANTED))
  ifneq ($(UNKNOWN),)
    $(error CUDA $(CUDA_VERSION) cannot compile for $(UNKNOWN:%=sm_%)$(if $(filter 6%,$(UNKNOWN)),: the P100 (sm_60) needs CUDA 12.9 or older). Choose ARCHS from $(KNOWN), or set CUDA_HOME to another toolkit, or CUDA=no)
  endif
  NEWEST := $(shell printf '%s\n' $(WANTED) | sort -n | tail -n 1)
  GENCODE := $(foreach a,$(WANTED),-gencode arch=compute_$(a),code=sm_$(a)) -gencode arch=compute_$(NEWEST),code=compute_$(NEWEST)
  NVCCFLAGS = -std=c++17 -O3 -lineinfo --expt-relaxed-constexpr -Xcompiler -Wall,-Wextra,-fPIC,-fvisibility=hidden $(if $(WERROR),-Werror all-warnings) \
    $(see)
  CUDA_TEXT := CUDA $(CUDA_VERSION), $(addprefix sm_,$(WANTED))
else
  CUDA_TEXT := without CUDA
endif

# ---- MPI: is it here, and with which flags ------------------------------------------------------------
# Open MPI's mpicxx answers to --showme, MPICH's to -compile_info. Sanitizers find leaks in MPI itself.
MPICXX := $(if $(filter no,$(MPI))$(SANITIZE),,$(shell command -v mpicxx))
ifneq ($(MPICXX),)
  MPI_FLAGS := $(shell $(MPICXX) --showme:compile 2>/dev/null || $(MPICXX) -compile_info | cut -d' ' -f2-)
  MPI_LIBS := $(filter-out -lmpi_cxx,$(shell $(MPICXX) --showme:link 2>/dev/null || $(MPICXX) -link_info | cut -d' ' -f2-))
endif

# ---- NCCL: beside CUDA, from Debian, or from PyPI -----------------------------------------------------
NCCL_PYPI := $(if $(NVCC),$(shell python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0])' 2>/dev/null))
NCCL_HOME := $(if $(NVCC),$(if $(filter no,$(NCCL)),,$(firstword $(foreach d,$(CUDA_ROOT) /usr $(NCCL_PYPI),$(if $(wildcard $(d)/include/nccl.h),$(d))))))
ifneq ($(NCCL_HOME),)
  NCCL_LIB := $(firstword $(wildcard $(NCCL_HOME)/lib/libnccl.so* $(NCCL_HOME)/lib64/libnccl.so* $(NCCL_HOME)/lib/*-linux-gnu/libnccl.so*))
  NCCL_LIBS := $(NCCL_LIB) -Wl,-rpath,$(dir $(NCCL_LIB))
endif

# ---- AMD: the order of elimination of the sparse solver -------------------------------------------------
AMD_LIBS := $(if $(filter no,$(AMD)),,$(if $(filter ✓,$(call has,suitesparse/amd.h)),-lamd))

# ---- what is built from what ---------------------------------------------------------------------------
# With CUDA the device and its solvers come from .cu files; without it the files no_cuda.cpp stand in.
CU := $(filter-out $(if $(NCCL_HOME),%/no_nccl.cu,%/with_nccl.cu),$(if $(NVCC),apsp.cu apsp_ref.cu $(wildcard src/*/*/*.cu)))
ROOMS := $(wildcard src/*/*/*.cpp src/*/*/*/*.cpp)
CPP := $(filter-out $(if $(NVCC),%/no_cuda.cpp,%/with_cuda.cpp) $(if $(MPICXX),%/no_mpi.cpp,%/with_mpi.cpp) $(if $(AMD_LIBS),%/no_amd.cpp,%/with_amd.cpp),$(ROOMS))
COMMA := ,
SUFFIX := $(SANITIZE:%=-$(subst $(COMMA),-,$(SANITIZE)))
VARIANT := $(BUILD)/$(if $(NVCC),cuda,nocuda)$(SUFFIX)
# Objects that are the same with CUDA and without it. OF_VARIANT differ: one says how the program was
# built, the other includes nvml.h if CUDA is there.
HOST := $(BUILD)/host$(SUFFIX)
OF_VARIANT := src/harness/system/environment src/engine/device/nvml
OBJECTS := $(patsubst %.cpp,$(HOST)/%.o,$(filter-out $(OF_VARIANT:=.cpp),$(CPP))) $(OF_VARIANT:%=$(VARIANT)/%.o) \
  $(CU:%.cu=$(VARIANT)/%.cu.o)
CUDART_LIBS := $(if $(NVCC),-L$(CUDA_ROOT)/lib64 -lcudart_static -lrt -lpthread)
CUDA_LIBS := $(NCCL_LIBS) $(CUDART_LIBS)
TESTS := $(wildcard tests/*/*_test.cpp) tests/fuzz/targets.cpp
CU_BENCHES := $(if $(NVCC),$(wildcard bench/*.cu))
BENCHES := $(wildcard bench/*.cpp) $(CU_BENCHES)

all: apsp library

# Only this rule writes ./apsp. Tests use the program of their variant, and leave the user's as it is.
apsp: $(VARIANT)/apsp FORCE
	@cmp -s $< $@ || { echo "  COPY  $@"; cp -f $< $@; }

# Instrumented code holds many addresses. Without -no-pie they all would be adjusted whenever the program starts.
link = $(call say,LINK  $@)mkdir -p $(@D); $(CXX) $(if $(SANITIZE),-no-pie) $^ -o $@
$(VARIANT)/apsp: $(HOST)/main.o $(OBJECTS)
	$(link) $(CUDA_LIBS) $(LIBS)

# The library: the engine alone, without what connects processes. Its interface is include/apsp; all other names are
# hidden. A program that is linked with libapsp.a also needs $(ENGINE_LIBS).
ENGINE := $(patsubst %/with_mpi.o,%/no_mpi.o,$(patsubst %/with_nccl.cu.o,%/no_nccl.cu.o, \
  $(filter $(HOST)/src/engine/% $(VARIANT)/src/engine/% $(VARIANT)/apsp%,$(OBJECTS))))
ENGINE_LIBS = $(CUDART_LIBS) $(AMD_LIBS) -lfmt -ldl -lpthread -fopenmp $(SANITIZING)
SO_VERSION := 0
library: $(BUILD)/library/libs
$(VARIANT)/libapsp.so.$(SO_VERSION): src/engine/api/apsp.map $(ENGINE)
	$(call say,LINK  $@)mkdir -p $(@D); $(CXX) -shared -Wl,-soname,$(@F) -Wl,-z,defs -Wl,--version-script,$^ -o $@ $(ENGINE_LIBS)
$(VARIANT)/libapsp.so: $(VARIANT)/libapsp.so.$(SO_VERSION)
	@ln -sf $(<F) $@
$(VARIANT)/libapsp.a: $(ENGINE)
	$(call say,AR    $@)rm -f $@; ar rcs $@ $^

# What make install takes, of the variant that was built last.
$(BUILD)/library/libs: $(VARIANT)/libapsp.so $(VARIANT)/libapsp.a FORCE
	@mkdir -p $(@D); for file in libapsp.so.$(SO_VERSION) libapsp.a; do \
	  cmp -s $(VARIANT)/$$file $(@D)/$$file || cp -f $(VARIANT)/$$file $(@D)/$$file; done
	@echo '$(ENGINE_LIBS) -lstdc++ -lm' > $@

$(VARIANT)/tests/run: $(TESTS:%.cpp=$(HOST)/%.o) $(HOST)/tests/support/main.o $(HOST)/tests/support/oracle.o $(OBJECTS)
	$(link) -lgtest $(CUDA_LIBS) $(LIBS) -lpthread

# The tests' submissions, as far as there is a variant in host memory: expected.csv says it.
HOST_SUBMISSIONS := $(shell awk -F, 'NR > 1 && $$2 != "" { print $$1 }' tests/submissions/expected.csv)
SUBMISSIONS := $(HOST_SUBMISSIONS:%=$(VARIANT)/tests/submissions/%.so)
# -fwrapv: what overflows there does so as on a GPU.
build_submission = $(CXX) -x c++ $(ALL_CXXFLAGS) -fvisibility=default -O3 -march=native -fwrapv -fPIC -shared $< -o $@
$(VARIANT)/tests/submissions/%.so: tests/submissions/%.cu $(HOST)/cxxflags | deps
	@mkdir -p $(@D)
	$(call say,CXX   $<)$(build_submission)
$(VARIANT)/tests/submissions/%.so: tests/submissions/%.cpp $(HOST)/cxxflags | deps
	@mkdir -p $(@D)
	$(call say,CXX   $<)$(build_submission)

# libFuzzer's program: the files that read and write graphs. fuzzer.cpp stands in for src/engine/base/memory.cpp.
FUZZED := $(filter-out src/harness/io/lock src/harness/io/private_folder,$(patsubst %.cpp,%,$(wildcard src/harness/io/*.cpp src/harness/io/formats/*.cpp))) \
  $(addprefix src/engine/base/,descriptor graph negative_cycle progress quantity text_hash) $(addprefix src/harness/system/,control_group process process_tree progress_line screen shell utf8)
$(VARIANT)/tests/fuzz/fuzzer: $(patsubst %,$(HOST)/tests/fuzz/%.o,fuzzer targets) $(FUZZED:%=$(HOST)/%.o)
	$(link) $(LIBS)

# Threads that call the library, linked as any program is.
$(VARIANT)/tests/callers: $(HOST)/tests/support/callers.o $(VARIANT)/libapsp.a
	$(link) $(ENGINE_LIBS)

# One program linked with an apsp.cu that waits here and there, and with the usual one.
REPEATS := $(if $(NVCC),$(addprefix $(VARIANT)/tests/,delays undelayed))
$(VARIANT)/tests/delays: $(HOST)/tests/support/delays.o $(OBJECTS:$(VARIANT)/apsp.cu.o=$(VARIANT)/tests/apsp-delays.cu.o)
$(VARIANT)/tests/undelayed: $(HOST)/tests/support/delays.o $(OBJECTS)
$(REPEATS):
	$(link) $(CUDA_LIBS) $(LIBS)

$(VARIANT)/tests/apsp-delays.cu.o: private NVCCFLAGS += -DAPSP_DELAYS
$(VARIANT)/tests/apsp-delays.cu.o: apsp.cu $(VARIANT)/nvccflags | deps
	@mkdir -p $(@D)
	$(call say,NVCC  $< with delays)$(compile_cu)

# What ptxas says of the registers, stacks and spills of every kernel.
PTXAS_REPORT := $(if $(filter 90,$(KNOWN)),$(VARIANT)/tests/apsp.sm_90.ptxas)
$(PTXAS_REPORT): apsp.cu $(VARIANT)/nvccflags | deps
	@mkdir -p $(@D)
	$(call say,PTXAS $<)$(NVCC) $(NVCCFLAGS) -arch=sm_90 -Xptxas -v -MD -MP -MT $@ -MF $@.d -cubin $< -o $@.cubin 2> $@ || \
	  { cat $@; exit 1; }

link_bench = $(link) -lbenchmark $(CUDA_LIBS) $(LIBS) -lpthread
bench: $(addprefix $(VARIANT)/,$(basename $(BENCHES)))
$(VARIANT)/bench/%: $(HOST)/bench/%.o $(OBJECTS)
	$(link_bench)
$(VARIANT)/bench/%: $(VARIANT)/bench/%.cu.o $(OBJECTS)
	$(link_bench)

see_only = $(HOST)/$(1)%.o $(VARIANT)/$(1)%.o: private SEES := $(2)
$(eval $(call see_only,src/engine/,engine))
$(eval $(call see_only,apsp,engine))
$(eval $(call see_only,src/harness/,engine harness))
$(eval $(call see_only,src/course/,engine harness course))
$(HOST)/tests/%.o: private see += -Itests/support

compile_cpp = $(call say,CXX   $<)mkdir -p $(@D); $(CXX) $(ALL_CXXFLAGS) -c $< -o $@
$(HOST)/%.o: %.cpp $(HOST)/cxxflags | deps
	$(compile_cpp)
$(HOST)/src/engine/ranks/with_mpi.o: private ALL_CXXFLAGS += -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX $(MPI_FLAGS:-I%=-isystem %)
$(OF_VARIANT:%=$(VARIANT)/%.o): $(VARIANT)/%.o: %.cpp $(VARIANT)/revision.h $(HOST)/cxxflags | deps
	$(compile_cpp) -I$(VARIANT) $(if $(NVCC),-isystem $(CUDA_ROOT)/include)

compile_cu = $(NVCC) $(NVCCFLAGS) $(GENCODE) -MD -MP -MF $(@:.o=.d) -c $< -o $@
$(VARIANT)/src/engine/several/part_streamed.cu.o: private NVCCFLAGS += -Xcompiler -fopenmp
$(VARIANT)/src/engine/several/with_nccl.cu.o: private NVCCFLAGS += $(patsubst %,-isystem %/include,$(filter-out /usr,$(NCCL_HOME)))
$(VARIANT)/%.cu.o: %.cu $(VARIANT)/nvccflags | deps
	@mkdir -p $(@D)
	$(call say,NVCC  $<)$(compile_cu)

# ---- how much is optimised, and which headers are precompiled ---------------------------------------------
# Loops over a graph. Some of these files are compiled for several instruction sets. GCC crashes if those use precompiled headers.
LOOPS := $(patsubst %,src/engine/%.cpp,dense/blocked_cpu dense/min_plus_cpu dense/plain_cpu negative/shift_cpu filtered/filter_cpu filtered/filtered_cpu \
  filtered/settle_cpu several/part_cpu sparse/customise sparse/sweep paths/predecessors) $(patsubst %,src/harness/verify/%.cpp,bellman bellman_arcs)
# The optimiser takes longer over these than it saves, because they rarely run or mostly print. That is more in instrumented code.
LIGHT := main.cpp $(wildcard $(patsubst %,src/%/*.cpp,program/cli program/commands course/grade course/ladder harness/measure \
    $(if $(SANITIZE),course/check harness/generate course/submission))) \
  $(filter-out tests/fuzz/targets.cpp $(if $(SANITIZE),tests/engine/cpu_test.cpp tests/engine/relaxation_test.cpp),$(TESTS))
less = $(if $(SANITIZE),$(CXXFLAGS:-O1=-O0),$(CXXFLAGS:-O2=-O1))
ifeq ($(SANITIZE),)
$(LOOPS:%.cpp=$(HOST)/%.o): private CXXFLAGS += -O3
else # although the command line gives CXXFLAGS
$(LOOPS:%.cpp=$(HOST)/%.o): private override CXXFLAGS += -O3
endif
$(LIGHT:%.cpp=$(HOST)/%.o) $(HOST)/light/precompiled.h.gch: private override CXXFLAGS := $(less)

# PCH=no compiles every header anew, and so does Clang. This shows whether each file includes what it needs.
PCH ?= $(if $(findstring clang,$(CXX)),no,yes)
ifeq ($(PCH),yes)
USUAL := $(filter-out $(LOOPS) $(LIGHT) $(OF_VARIANT:=.cpp) %/with_mpi.cpp,$(CPP) $(TESTS))
precompiled = $(2:%.cpp=$(HOST)/%.o): private override ALL_CXXFLAGS += -Winvalid-pch -include $(HOST)/$(1)/precompiled.h
$(eval $(call precompiled,light,$(LIGHT)))
$(eval $(call precompiled,usual,$(USUAL)))
$(LIGHT:%.cpp=$(HOST)/%.o): $(HOST)/light/precompiled.h.gch
$(USUAL:%.cpp=$(HOST)/%.o): $(HOST)/usual/precompiled.h.gch
$(HOST)/%/precompiled.h.gch: src/harness/system/precompiled.h $(HOST)/cxxflags | deps
	@mkdir -p $(@D); cp $< $(@D)
	$(call say,CXX   $<)$(CXX) $(ALL_CXXFLAGS:-MMD=-MD) -MF $(@:.gch=.d) -x c++-header $< -o $@
# What ccache must not look at to cache objects made with precompiled headers.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
endif

# These are written anew only where their content changes, so that nothing is rebuilt in vain.
write_if_changed = mkdir -p $(@D); cat > $(1).new; cmp -s $(1).new $(1) && rm $(1).new || mv $(1).new $(1)
$(HOST)/cxxflags: FORCE
	@echo '$(CXX) $(ALL_CXXFLAGS)' | { $(call write_if_changed,$@); }
$(VARIANT)/nvccflags: FORCE
	@echo '$(NVCC) $(NVCCFLAGS) $(GENCODE)' | { $(call write_if_changed,$@); }

# Where there is no git, REVISION=… and DIRTY=… say what is built. Dirty: what differs from the revision, or
# is unknown to it, among the files that the program is made of.
SOURCES := Makefile *.h *.cu *.cpp src
DIFF = { git diff HEAD -- $(SOURCES); git ls-files -o --exclude-standard -- $(SOURCES) | xargs -r cat; } 2>/dev/null
ifndef REVISION
  REVISION := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
  DIRTY := $(shell $(DIFF) | grep -q . && $(DIFF) | cksum | cut -d" " -f1)
endif
$(VARIANT)/revision.h: FORCE
	@{ echo 'constexpr const char* kRevision = "$(REVISION)";'; \
	   echo 'constexpr const char* kDirty = "$(DIRTY)";'; \
	   echo 'constexpr const char* kCuda = "$(CUDA_TEXT)";'; } | { $(call write_if_changed,$@); }

cuda-objects: $(patsubst %.cu,$(VARIANT)/%.cu.o,$(CU) $(CU_BENCHES))

# ---- what was found -------------------------------------------------------------------------------------
# The optional libraries that unpack .xz, .bz2 and .zst. `make UNPACKERS=` builds without them.
UNPACKERS := $(if $(filter ✓,$(call has,lzma.h)),lzma) $(if $(filter ✓,$(call has,bzlib.h)),bz2) \
  $(if $(filter ✓,$(call has,zstd.h)),zstd)
# Those that read files of other programs. `make READERS=` builds without them.
READERS := $(if $(filter ✓,$(call has,zip.h)),zip) $(if $(filter ✓,$(call has,pugixml.hpp)),pugixml)
COMPILER := $(firstword $(CXX))
deps:
ifndef DEPS_SHOWN
	@command -v $(COMPILER) > /dev/null || { echo "✗ $(COMPILER): no such C++ compiler. Install one: sudo apt-get install g++" >&2; \
	  echo "  scripts/install_deps.sh installs or names all that is needed." >&2; exit 1; }
	@echo "$(if $(NVCC),✓ CUDA $(CUDA_VERSION) in $(CUDA_ROOT): $(addprefix sm_,$(WANTED)) + PTX$(if $(filter all,$(ARCHS)), (not $(filter-out $(KNOWN),$(EVERY)): too old for it)),$(if $(filter no,$(CUDA)),✗ CUDA: not used (CUDA=no),✗ CUDA: no nvcc; building without (set CUDA_HOME if it lies elsewhere)))"
	@echo "$(if $(NCCL_HOME),✓ NCCL: $(NCCL_HOME),$(if $(NVCC),✗ NCCL: $(if $(filter no,$(NCCL)),not used (NCCL=no),no nccl.h; building for GPUs of one process)))" | grep . || true
	@echo "$(if $(MPICXX),✓ MPI: $(MPICXX),$(if $(filter no,$(MPI)),✗ MPI: not used (MPI=no),✗ MPI: no mpicxx; building for one rank))"
	@echo "$(if $(AMD_LIBS),✓ AMD: suitesparse/amd.h,$(if $(filter no,$(AMD)),✗ AMD: not used (AMD=no),✗ AMD: no suitesparse/amd.h; the sparse solver orders by itself))"
	@printf '%s\n' "$(call has,CLI/CLI.hpp) CLI11" "$(call has,fmt/format.h) fmt" "$(call has,zlib.h) zlib" \
	  "$(call has,lzma.h) liblzma (for .xz)" "$(call has,bzlib.h) libbz2 (for .bz2)" "$(call has,zstd.h) libzstd (for .zst)" \
	  "$(call has,zip.h) libzip (for .npz)" "$(call has,pugixml.hpp) pugixml (for .graphml)" \
	  "$(call has,openssl/evp.h) OpenSSL" "$(call has,seccomp.h) libseccomp" "$(call has,nlohmann/json.hpp) nlohmann-json" \
	  "$(call has,gtest/gtest.h) GoogleTest (for make test)" "$(call has,benchmark/benchmark.h) Google Benchmark (for make bench)"
	@test "$(foreach h,CLI/CLI.hpp fmt/format.h zlib.h openssl/evp.h seccomp.h nlohmann/json.hpp,$(call has,$(h)))" = "✓ ✓ ✓ ✓ ✓ ✓" || \
	  { echo "Something needed is missing: run scripts/install_deps.sh"; exit 1; }
endif

# ---- commands -------------------------------------------------------------------------------------------
# As many jobs as cores, unless make was called with -j: the makes below share its jobs then.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
demo:
	@scripts/install_deps.sh
	@$(MAKE) --no-print-directory $(JOBS) apsp
	./apsp data/demo.bin --kernel ref,apsp --verify

# It goes on if something is missing: tests that need it skip. SUITES="cli_test …": only these of the tests in Python,
# besides those of the parts.
test gpu-test:
	@scripts/install_deps.sh --tests || true
	@$(MAKE) --no-print-directory $(JOBS) what-tests-run
	@python3 tests/run.py --unit $(VARIANT)/tests/run --apsp $(VARIANT)/apsp $(if $(NVCC),--delays $(VARIANT)/tests/delays) \
	  $(PTXAS_REPORT:%=--ptxas %) $(if $(filter gpu-test,$@),--require-gpu) $(if $(SUITES),--suites $(SUITES))

# In a make of its own, because make looks for libraries when it starts, and they may have been installed since.
what-tests-run: $(VARIANT)/apsp $(BUILD)/library/libs $(VARIANT)/tests/run $(filter %/delays,$(REPEATS)) $(PTXAS_REPORT) $(SUBMISSIONS)

# Every path of the optimised solver once, then the whole program with every kernel. At n = 520 there are more rounds
# than places for their panels (kRing), even with tiles of 128. racecheck is slow: it looks at smaller graphs.
# racecheck and synccheck do not follow barriers of some warps beside barriers of all: they report a kernel of 20 lines
# that has no race (docs/tuning.md). The kernel that keeps matrices in registers has both.
SANITIZER := $(or $(wildcard $(CUDA_ROOT)/bin/compute-sanitizer),compute-sanitizer) --error-exitcode 1
unfollowed = $(if $(filter racecheck synccheck,$(@D)),--kernel-name-exclude kernel_substring=solveInRegisters)
ways-200 = $(VARIANT)/tests/undelayed 1 200
ways-more = $(VARIANT)/tests/undelayed 1 $(if $(filter racecheck,$(@D)),264,520)
kernels = $(VARIANT)/apsp --n $(if $(filter racecheck,$(@D)),66,130) --family sparse --warmup 0 --reps 1 --verify \
          --kernel $$($(VARIANT)/apsp --list-kernels | awk '$$2 == "gpu" { print $$1 }' | paste -sd,)
ranks = $(VARIANT)/tests/run --gtest_brief=1 --gtest_filter='*DistributedOnGpu.AddsFloats*:*DistributedOnGpu.Leaves*'
filter = $(VARIANT)/tests/run --gtest_brief=1 --gtest_filter=GpuRelaxation.$(if $(filter racecheck,$(@D)),SettlesInEveryPlace,GivesUpWithoutDamage)
reduce = $(VARIANT)/apsp reduce --n 200,200000 --warmup 0 --reps 1
SANITIZER_RUNS := $(foreach tool,memcheck racecheck synccheck,$(addprefix $(tool)/,ways-200 ways-more kernels ranks filter reduce))
gpu-sanitize: deps
	$(if $(NVCC),,$(error make gpu-sanitize needs CUDA))
	@$(MAKE) --no-print-directory $(JOBS) DEPS_SHOWN=1 $(VARIANT)/apsp $(VARIANT)/tests/run $(VARIANT)/tests/undelayed
	@$(MAKE) --no-print-directory -j --output-sync DEPS_SHOWN=1 $(SANITIZER_RUNS)

$(SANITIZER_RUNS):
	@echo; echo "$@"; $(SANITIZER) --tool $(@D) $(unfollowed) $($(@F))

# What is built with sanitizers lies apart; a tool's own name for it stands in the directory's.
SANITIZED := $(BUILD)/nocuda-address-undefined
FUZZER := $(BUILD)/nocuda-fuzzer-address-undefined/tests/fuzz/fuzzer
RACES := $(addprefix $(BUILD)/nocuda-thread/,apsp tests/callers)
CLANG ?= clang++
SECONDS ?= 60
sanitized = $(MAKE) --no-print-directory $(JOBS) DEPS_SHOWN=1 CUDA=no WERROR= SANITIZE=$(1)
with_clang = $(call sanitized,$(1)) CXX="$(CLANG) -Wno-pass-failed" # it vectorises less than GCC, and says so

# Left to make test: what needs the memory's real size, submissions that crash by themselves, and what spends its time in
# the compiler, in hundreds of checks, or in the same code for one more instruction set, format, family or size.
sanitize:
	@$(call sanitized,address$(COMMA)undefined) CXXFLAGS="-O1 -g1 -Wno-maybe-uninitialized" $(SANITIZED)/tests/run $(SANITIZED)/apsp
	@GTEST_FILTER=-Submissions.*:Sandbox.Is*:Sandbox.Keeps*:Compiler.*:Building.*:Check*:Diagnosis/*:Devices/*:Seam.ASolverWithoutAMatrix*:BySources.IsRightOnEveryFamily:FilteredOnCpus.IsRightForEverySize*:SparseRun.Streams*:Simd/*/avx2:Table/*ByRows/bin python3 tests/run.py --unit $(SANITIZED)/tests/run --apsp $(SANITIZED)/apsp \
	  --suites faults_test cli_test.CommandLine cli_test.Formats cli_test.CpuResults cli_test.RealWeights ranks_test.WithoutMpi

fuzz:
	@scripts/install_deps.sh --clang
	@$(MAKE) --no-print-directory $(JOBS) DEPS_SHOWN=1 $(VARIANT)/tests/run
	@$(call with_clang,fuzzer$(COMMA)address$(COMMA)undefined) $(FUZZER)
	@tests/fuzz/fuzz.py --fuzzer $(FUZZER) --unit $(VARIANT)/tests/run --corpus $(BUILD)/fuzz --seconds $(SECONDS) $(RECORD:%=--record %)

# LLVM's libomp tells ThreadSanitizer of its barriers; GCC's libgomp does not, and everything looks like a race.
races:
	@scripts/install_deps.sh --clang
	@$(call with_clang,thread) $(RACES)
	@tests/races.sh $(RACES)

mutants:
	@tests/mutants.py

# The linker sees all files at once, and so whether two of them mean different things by one name.
odr:
	@$(MAKE) --no-print-directory $(JOBS) DEPS_SHOWN=1 CUDA=no MPI=no BUILD=$(BUILD)/odr CXX="$(CXX) -flto=auto -Werror=odr" CXXFLAGS=-O0 \
	  $(BUILD)/odr/nocuda/apsp && echo "every name means one thing"

# It installs ./apsp and the library as they are, because root's environment may lack nvcc and would build others.
PREFIX ?= /usr/local
PROGRAM ?= apsp
LIBRARY ?= $(BUILD)/library
VERSION := $(shell awk '/APSP_VERSION_(MAJOR|MINOR|PATCH)/ { v = v s $$3; s = "." } END { print v }' include/apsp/apsp.h)
LIBDIR ?= $(PREFIX)/lib
filled = sed -e 's|@PREFIX@|$(PREFIX)|g; s|@LIBDIR@|$(LIBDIR)|g; s|@VERSION@|$(VERSION)|g; s|@SO_VERSION@|$(SO_VERSION)|g' \
  -e "s|@PRIVATE_LIBS@|$$(cat $(LIBRARY)/libs)|g"
install: $(if $(wildcard $(PROGRAM)),,all)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/apsp $(DESTDIR)$(PREFIX)/include/apsp
	install -m 644 include/apsp/apsp.h include/apsp/apsp.hpp $(DESTDIR)$(PREFIX)/include/apsp
	install -m 755 $(LIBRARY)/libapsp.so.$(SO_VERSION) $(DESTDIR)$(LIBDIR)
	ln -sf libapsp.so.$(SO_VERSION) $(DESTDIR)$(LIBDIR)/libapsp.so
	install -m 644 $(LIBRARY)/libapsp.a $(DESTDIR)$(LIBDIR)
	$(filled) scripts/library/apsp.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/apsp.pc
	for file in apspConfig apspConfigVersion; do \
	  $(filled) scripts/library/$$file.cmake.in > $(DESTDIR)$(LIBDIR)/cmake/apsp/$$file.cmake || exit; done
	install -D -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/apsp
	install -d $(DESTDIR)$(PREFIX)/share/apsp/scripts/page
	install -m 644 $(addprefix scripts/,csv_files.py packages.py page.py plot.py to_json.py) $(DESTDIR)$(PREFIX)/share/apsp/scripts
	install -m 644 $(wildcard scripts/page/*.*) $(DESTDIR)$(PREFIX)/share/apsp/scripts/page
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(DESTDIR)$(PREFIX)/bin/apsp man > $(DESTDIR)$(PREFIX)/share/man/man1/apsp.1
	$(DESTDIR)$(PREFIX)/bin/apsp completion > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/apsp

clean:
	rm -rf $(BUILD) apsp

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
