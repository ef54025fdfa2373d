# The front door. Everything behind it is one call of CMake, CTest or build/lanewise.
#
#   make check [LAB=vecadd]   grade your own work in labs/
#   make demo                 grade a small made-up class and look at the reports
#   make test                 run every test
#   make bench                what each step of a ladder costs: tables and pages in solutions/; with a GPU, times as well
#   make speed                measure the virtual GPU's speed
#   make sweep                break correct kernels in every small way and count what the checkers find
#   make docs                 read the source as a web page
#   make slides               the lectures as web pages, PDF and PPTX: build/slides/index.html
#   make lint                 clang-format and clang-tidy, as CI runs them

export PATH := $(PATH):$(or $(CUDA_HOME),/usr/local/cuda)/bin
LANEWISE := build/lanewise

.PHONY: check demo test bench speed sweep docs slides lint format prepared clean

check: prepared
	@scripts/build.sh lanewise
	@$(LANEWISE) check $(LAB)

demo: prepared
	@scripts/build.sh lanewise
	@$(LANEWISE) demo

test:
	@scripts/prepare.sh build test slides
	@! grep -qs LANEWISE_TESTS:BOOL=OFF build/CMakeCache.txt || cmake -DLANEWISE_TESTS=ON build > build/configure.log
	@scripts/build.sh
	@ctest --preset release

bench: prepared
	@scripts/build.sh lanewise
	@$(LANEWISE) bench

speed: prepared
	@scripts/build.sh vgpu_speed
	@build/bench/vgpu_speed

sweep: prepared
	@scripts/build.sh vgpu_sweep
	@build/bin/vgpu_sweep

docs:
	@scripts/prepare.sh build docs
	@cmake --preset release -DLANEWISE_DOCS=ON > build/configure.log || (cat build/configure.log && exit 3)
	@cmake --build build --target docs

slides:
	@scripts/prepare.sh slides
	@slides/make.sh

lint:
	@scripts/prepare.sh build lint
	@scripts/lint.sh

format:
	@scripts/prepare.sh lint
	@scripts/lint.sh --format

prepared:
	@scripts/prepare.sh build

clean:
	@rm -rf build
