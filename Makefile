# The front door: each target is one call of a script, CTest or build/lanewise. `make` alone prints this list:
#
#   make check [LAB=vecadd]   grade your own work in labs/
#   make watch [LAB=vecadd]   the same, and again whenever you save
#   make demo                 grade a made-up class with a dozen submissions, and look at its pages
#   make test                 the everyday tests: units, flows, and one verdict of each kind from each lab
#   make test-all             every test: all of solutions/, the released archive, slides, browsers
#   make test-most            of solutions/ one verdict of each kind, and this machine's processor only; else as test-all
#   make bench                what each step of a ladder costs: tables and pages in solutions/; with a GPU, times as well
#   make speed                measure the virtual GPU's speed
#   make sweep                break correct kernels in every small way and count what the checkers find
#   make docs                 read the source as a web page
#   make slides               the lectures as web pages, PDF and PPTX: build/slides/index.html
#   make lint                 clang-format and clang-tidy, as CI runs them
#   make format               clang-format over all sources
#   make package              a .deb and an archive that can be unpacked anywhere, with everything that is built
#   make release [OUT=FILE]   the archive that students receive: build/lanewise-labs.tar.gz
#   make clean                remove build/

export PATH := $(PATH):$(or $(CUDA_HOME),/usr/local/cuda)/bin
LANEWISE := build/lanewise

# lab=scan would check all labs: what is given on the command line must mean something.
given := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
unknown := $(firstword $(filter-out -% LAB OUT CC CXX CUDA% CMAKE% CCACHE% LANEWISE% MAKE% SHELL PATH,$(given)))
ifneq ($(unknown),)
$(error there is no variable '$(unknown)'; did you mean LAB=$($(unknown))? Capitals matter, and only LAB, OUT and variables of the build, such as CUDA_HOME, mean something)
endif

.PHONY: help check watch demo test test-all test-most bench speed sweep docs slides lint format package release prepared clean
.NOTPARALLEL: # what a target builds is built in parallel

help:
	@sed -n 's/^#   //p' Makefile
	@printf "\n%s is %s.\n" $(LANEWISE) "$$(scripts/build.sh --state)"

check: prepared
	@scripts/build.sh lanewise
	@$(LANEWISE) check $(LAB)

watch: prepared
	@scripts/build.sh lanewise
	@$(LANEWISE) watch $(LAB)

demo: prepared
	@scripts/build.sh lanewise
	@scripts/demo.sh

test:
	@scripts/prepare.sh build test
	@scripts/build.sh -DLANEWISE_TESTS=ON lanewise first_tier
	@ctest --preset release -LE second_tier -j "$$(($$(nproc) + 1))" # some tests mostly wait

test-all:
	@scripts/prepare.sh build test test-all arm slides
	@scripts/build.sh -DLANEWISE_TESTS=ON
	@ctest --preset release -LE first_tier_only -j "$$(($$(nproc) + 1))"

# Half of the time of test-all.
longest := every_solution_as_declared.*|arm64_.*|vgpu_portable_build|vgpu_.*_v[234]_test
test-most:
	@scripts/prepare.sh build test test-all slides
	@scripts/build.sh -DLANEWISE_TESTS=ON
	@ctest --preset release -E '^($(longest))$$' -j "$$(($$(nproc) + 1))"

bench: prepared
	@scripts/build.sh lanewise
	@$(LANEWISE) bench

speed: prepared
	@scripts/build.sh vgpu_speed vgpu_link_speed
	@build/bench/vgpu_speed
	@build/bench/vgpu_link_speed

sweep: prepared
	@scripts/build.sh vgpu_sweep
	@build/bin/vgpu_sweep

docs:
	@scripts/prepare.sh build docs
	@scripts/build.sh -DLANEWISE_DOCS=ON docs

slides:
	@scripts/prepare.sh slides
	@slides/make.sh

lint:
	@scripts/prepare.sh build lint
	@scripts/build.sh --configure
	@scripts/lint.sh

format:
	@scripts/prepare.sh lint
	@scripts/lint.sh --format

package:
	@scripts/prepare.sh build package
	@scripts/package.sh

release:
	@scripts/prepare.sh build package
	@scripts/package.sh --release $(LAB) --out "$(or $(OUT),build/lanewise-labs.tar.gz)"

prepared:
	@scripts/prepare.sh build

clean:
	@rm -rf build
