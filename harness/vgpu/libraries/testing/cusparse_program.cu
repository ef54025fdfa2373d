// What a program sees of cuSPARSE: products and conversions against plain loops on the host, and what becomes of wrong
// matrices. Prints one line for each; the same on a GPU with NVIDIA's library, but for the parts marked "here".
#include <cusparse.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

cusparseHandle_t handle;

template <class T>
struct OnDevice {
  explicit OnDevice(const std::vector<T>& values) : count(values.size()) {
    cudaMalloc(&data, count * sizeof(T));
    cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~OnDevice() { cudaFree(data); }
  std::vector<T> back() const {
    std::vector<T> values(count);
    cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
  T* data = nullptr;
  size_t count;
};

template <class T>
constexpr cudaDataType kType = CUDA_R_32F;
template <>
constexpr cudaDataType kType<double> = CUDA_R_64F;
template <>
constexpr cudaDataType kType<std::complex<float>> = CUDA_C_32F;

constexpr int kRows = 7, kColumns = 5;

/// Small whole numbers: products and sums of them are exact. Row 3 and column 2 are empty.
template <class T>
std::vector<T> dense_matrix() {
  std::vector<T> values(kRows * kColumns);
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kColumns; ++c)
      if (r != 3 && c != 2 && (r * 3 + c) % 4 != 0) values[r * kColumns + c] = T(r * 2 - c);
  return values;
}
template <class T>
std::vector<T> numbers(size_t count, int seed) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = T(static_cast<int>((i * 7 + seed * 5) % 13) - 6);
  return values;
}

/// The entries of a matrix in one of the formats, in device memory.
template <class T, class I>
struct Sparse {
  Sparse(cusparseFormat_t format, int base, const std::vector<T>& dense) {
    const bool by_columns = format == CUSPARSE_FORMAT_CSC;
    const int lines = by_columns ? kColumns : kRows, length = by_columns ? kRows : kColumns;
    std::vector<I> offsets{I(base)}, rows, columns;
    std::vector<T> values;
    for (int line = 0; line < lines; ++line) {
      for (int i = 0; i < length; ++i) {
        const int row = by_columns ? i : line, column = by_columns ? line : i;
        if (dense[row * kColumns + column] == T(0)) continue;
        rows.push_back(I(row + base));
        columns.push_back(I(column + base));
        values.push_back(dense[row * kColumns + column]);
      }
      offsets.push_back(I(values.size() + base));
    }
    major = new OnDevice<I>(format == CUSPARSE_FORMAT_COO ? rows : offsets);
    minor = new OnDevice<I>(by_columns ? rows : columns);
    entries = new OnDevice<T>(values);
    const auto index = sizeof(I) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    const auto from = static_cast<cusparseIndexBase_t>(base);
    const int64_t count = static_cast<int64_t>(values.size());
    if (format == CUSPARSE_FORMAT_COO)
      cusparseCreateCoo(&matrix, kRows, kColumns, count, major->data, minor->data, entries->data, index, from,
                        kType<T>);
    else if (by_columns)
      cusparseCreateCsc(&matrix, kRows, kColumns, count, major->data, minor->data, entries->data, index, index, from,
                        kType<T>);
    else
      cusparseCreateCsr(&matrix, kRows, kColumns, count, major->data, minor->data, entries->data, index, index, from,
                        kType<T>);
  }
  ~Sparse() {
    cusparseDestroySpMat(matrix);
    delete major;
    delete minor;
    delete entries;
  }
  OnDevice<I>*major, *minor;
  OnDevice<T>* entries;
  cusparseSpMatDescr_t matrix = nullptr;
};

template <class T>
bool same(const std::vector<T>& got, const std::vector<T>& wanted) {
  return got == wanted;
}
template <class T>
void compare(const char* what, const std::vector<T>& got, const std::vector<T>& wanted) {
  std::printf("%s: %s\n", what, got == wanted ? "right" : "wrong");
}
void say(const char* what, cusparseStatus_t status) { std::printf("%s: %s\n", what, cusparseGetErrorName(status)); }

/// Whether every format gives the right vector, with and without transposing.
template <class T, class I>
void vectors(const char* what) {
  const auto dense = dense_matrix<T>();
  bool is_right = true;
  for (auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
    for (int base : {0, 1})
      for (auto op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE}) {
        const bool is_plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE;
        const Sparse<T, I> sparse(format, base, dense);
        const auto x = numbers<T>(is_plain ? kColumns : kRows, 1), y = numbers<T>(is_plain ? kRows : kColumns, 2);
        OnDevice<T> dx(x), dy(y);
        cusparseDnVecDescr_t vx, vy;
        cusparseCreateDnVec(&vx, x.size(), dx.data, kType<T>);
        cusparseCreateDnVec(&vy, y.size(), dy.data, kType<T>);
        const T alpha = 2, beta = -1;
        size_t size = 1;
        void* buffer = nullptr;
        cusparseSpMV_bufferSize(handle, op, &alpha, sparse.matrix, vx, &beta, vy, kType<T>, CUSPARSE_SPMV_ALG_DEFAULT,
                                &size);
        cudaMalloc(&buffer, size);
        cusparseSpMV_preprocess(handle, op, &alpha, sparse.matrix, vx, &beta, vy, kType<T>, CUSPARSE_SPMV_ALG_DEFAULT,
                                buffer);
        cusparseSpMV(handle, op, &alpha, sparse.matrix, vx, &beta, vy, kType<T>, CUSPARSE_SPMV_ALG_DEFAULT, buffer);
        auto wanted = y;
        for (size_t i = 0; i < y.size(); ++i) {
          T sum = 0;
          for (size_t j = 0; j < x.size(); ++j) sum += dense[is_plain ? i * kColumns + j : j * kColumns + i] * x[j];
          wanted[i] = alpha * sum + beta * y[i];
        }
        is_right = is_right && dy.back() == wanted;
        cudaFree(buffer);
        cusparseDestroyDnVec(vx);
        cusparseDestroyDnVec(vy);
      }
  std::printf("%s: %s\n", what, is_right ? "right" : "wrong");
}

void matrices() {
  constexpr int kOther = 3;
  const auto dense = dense_matrix<float>();
  bool is_right = true;
  for (auto op_a : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE})
    for (auto op_b : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE})
      for (auto order_b : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW})
        for (auto order_c : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
          const Sparse<float, int> sparse(CUSPARSE_FORMAT_CSR, 0, dense);
          const bool is_a = op_a == CUSPARSE_OPERATION_NON_TRANSPOSE, is_b = op_b == CUSPARSE_OPERATION_NON_TRANSPOSE;
          const int rows = is_a ? kRows : kColumns, inner = is_a ? kColumns : kRows;
          const int b_rows = is_b ? inner : kOther, b_columns = is_b ? kOther : inner;
          constexpr int kLeading = 9;  // more than any of these, so that there are gaps
          const auto b = numbers<float>(kLeading * kLeading, 3), c = numbers<float>(kLeading * kLeading, 4);
          const auto at = [](cusparseOrder_t order, int row, int column) {
            return order == CUSPARSE_ORDER_COL ? column * kLeading + row : row * kLeading + column;
          };
          OnDevice<float> db(b), dc(c);
          cusparseDnMatDescr_t mb, mc;
          cusparseCreateDnMat(&mb, b_rows, b_columns, kLeading, db.data, CUDA_R_32F, order_b);
          cusparseCreateDnMat(&mc, rows, kOther, kLeading, dc.data, CUDA_R_32F, order_c);
          const float alpha = 3, beta = 2;
          size_t size = 1;
          void* buffer = nullptr;
          cusparseSpMM_bufferSize(handle, op_a, op_b, &alpha, sparse.matrix, mb, &beta, mc, CUDA_R_32F,
                                  CUSPARSE_SPMM_ALG_DEFAULT, &size);
          cudaMalloc(&buffer, size);
          cusparseSpMM(handle, op_a, op_b, &alpha, sparse.matrix, mb, &beta, mc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
                       buffer);
          auto wanted = c;
          for (int i = 0; i < rows; ++i)
            for (int j = 0; j < kOther; ++j) {
              float sum = 0;
              for (int l = 0; l < inner; ++l)
                sum +=
                    dense[is_a ? i * kColumns + l : l * kColumns + i] * b[is_b ? at(order_b, l, j) : at(order_b, j, l)];
              wanted[at(order_c, i, j)] = alpha * sum + beta * c[at(order_c, i, j)];
            }
          is_right = is_right && dc.back() == wanted;
          cudaFree(buffer);
          cusparseDestroyDnMat(mb);
          cusparseDestroyDnMat(mc);
        }
  std::printf("matrices, and nothing between their lines: %s\n", is_right ? "right" : "wrong");
}

void more_products() {
  // A beta of zero overwrites what is not a number; factors may be the device's.
  {
    const Sparse<double, int> sparse(CUSPARSE_FORMAT_CSR, 0, dense_matrix<double>());
    OnDevice<double> x(std::vector<double>(kColumns, 1)), y(std::vector<double>(kRows, NAN)), factors({2, 0});
    cusparseDnVecDescr_t vx, vy;
    cusparseCreateDnVec(&vx, kColumns, x.data, CUDA_R_64F);
    cusparseCreateDnVec(&vy, kRows, y.data, CUDA_R_64F);
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE);
    cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, factors.data, sparse.matrix, vx, factors.data + 1, vy,
                 CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG2, nullptr);
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST);
    std::vector<double> wanted(kRows, 0);
    for (int i = 0; i < kRows * kColumns; ++i) wanted[i / kColumns] += 2 * dense_matrix<double>()[i];
    compare("over NaN, by factors of the device", y.back(), wanted);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
  }
  // The adjoint of a complex matrix of one entry.
  {
    using C = std::complex<float>;
    OnDevice<int> offsets({0, 1}), columns({1});
    OnDevice<C> values({C(1, 2)}), x({C(3, 1)}), y({C(), C()});
    cusparseConstSpMatDescr_t matrix;
    cusparseConstDnVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    cusparseCreateConstCsr(&matrix, 1, 2, 1, offsets.data, columns.data, values.data, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_C_32F);
    cusparseCreateConstDnVec(&vx, 1, x.data, CUDA_C_32F);
    cusparseCreateDnVec(&vy, 2, y.data, CUDA_C_32F);
    const C one = 1, zero = 0;
    cusparseSpMV(handle, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, &one, matrix, vx, &zero, vy, CUDA_C_32F,
                 CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    compare("adjoint", y.back(), {C(), C(5, -5)});  // (1 - 2i)(3 + i)
    cusparseDestroySpMat(matrix);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
  }
}

void conversions() {
  const auto dense = dense_matrix<float>();
  for (int base : {0, 1}) {
    const Sparse<float, int> rows(CUSPARSE_FORMAT_CSR, base, dense), places(CUSPARSE_FORMAT_COO, base, dense);
    const Sparse<float, int> columns(CUSPARSE_FORMAT_CSC, base, dense);
    const auto from = static_cast<cusparseIndexBase_t>(base);
    const int count = static_cast<int>(rows.entries->count);
    OnDevice<int> offsets(std::vector<int>(kRows + 1, -1)), indices(std::vector<int>(count, -1));
    cusparseXcoo2csr(handle, places.major->data, count, kRows, offsets.data, from);
    compare("coo2csr", offsets.back(), rows.major->back());
    cusparseXcsr2coo(handle, rows.major->data, count, kRows, indices.data, from);
    compare("csr2coo", indices.back(), places.major->back());

    OnDevice<int> to_offsets(std::vector<int>(kColumns + 1, -1)), to_rows(std::vector<int>(count, -1));
    OnDevice<float> to_values(std::vector<float>(count, -1));
    cusparseCsr2cscEx2(handle, kRows, kColumns, count, rows.entries->data, rows.major->data, rows.minor->data,
                       to_values.data, to_offsets.data, to_rows.data, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, from,
                       CUSPARSE_CSR2CSC_ALG_DEFAULT, nullptr);
    std::printf("csr2csc: %s\n", same(to_offsets.back(), columns.major->back()) &&
                                         same(to_rows.back(), columns.minor->back()) &&
                                         same(to_values.back(), columns.entries->back())
                                     ? "right"
                                     : "wrong");

    OnDevice<float> all(std::vector<float>(kRows * kColumns, -1)), original(dense);
    cusparseDnMatDescr_t to_dense, from_dense;
    cusparseCreateDnMat(&to_dense, kRows, kColumns, kColumns, all.data, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    cusparseSparseToDense(handle, columns.matrix, to_dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr);
    compare("sparse to dense", all.back(), dense);

    // How many entries there are is known after the analysis; then there is memory for them.
    cusparseCreateDnMat(&from_dense, kRows, kColumns, kColumns, original.data, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    OnDevice<int> new_offsets(std::vector<int>(kRows + 1, -1));
    cusparseSpMatDescr_t made;
    cusparseCreateCsr(&made, kRows, kColumns, 0, new_offsets.data, nullptr, nullptr, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_32I, from, CUDA_R_32F);
    cusparseDenseToSparse_analysis(handle, from_dense, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr);
    int64_t r, c, found = 0;
    cusparseSpMatGetSize(made, &r, &c, &found);
    OnDevice<int> new_columns(std::vector<int>(found, -1));
    OnDevice<float> new_values(std::vector<float>(found, -1));
    cusparseCsrSetPointers(made, new_offsets.data, new_columns.data, new_values.data);
    cusparseDenseToSparse_convert(handle, from_dense, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr);
    std::printf("dense to sparse: %s\n", same(new_offsets.back(), rows.major->back()) &&
                                                 same(new_columns.back(), rows.minor->back()) &&
                                                 same(new_values.back(), rows.entries->back())
                                             ? "right"
                                             : "wrong");
    cusparseDestroySpMat(made);
    cusparseDestroyDnMat(to_dense);
    cusparseDestroyDnMat(from_dense);
  }
}

/// y = A x for A of 2 x 2 with the offsets and columns that are given.
cusparseStatus_t multiply(const std::vector<int64_t>& row_offsets, const std::vector<int64_t>& column_indices,
                          int64_t x_size) {
  OnDevice<int64_t> offsets(row_offsets), columns(column_indices);
  OnDevice<float> values(std::vector<float>(column_indices.size(), 1)), x(std::vector<float>(2, 1)), y({0, 0});
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t vx, vy;
  cusparseCreateCsr(&matrix, 2, 2, column_indices.size(), offsets.data, columns.data, values.data, CUSPARSE_INDEX_64I,
                    CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
  cusparseCreateDnVec(&vx, x_size, x.data, CUDA_R_32F);
  cusparseCreateDnVec(&vy, 2, y.data, CUDA_R_32F);
  const float one = 1, zero = 0;
  const cusparseStatus_t status = cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vx, &zero, vy,
                                               CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  if (status == CUSPARSE_STATUS_SUCCESS) std::printf("then: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cusparseDestroySpMat(matrix);
  cusparseDestroyDnVec(vx);
  cusparseDestroyDnVec(vy);
  return status;
}

void wrong() {
  say("as it should be", multiply({1, 2, 3}, {1, 2}, 2));
  say("a vector of another size", multiply({1, 2, 3}, {1, 2}, 3));
  cusparseSpMatDescr_t matrix;
  say("less than no rows", cusparseCreateCsr(&matrix, -1, 2, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I,
                                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  say("more entries than places", cusparseCreateCsr(&matrix, 2, 2, 5, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I,
                                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  say("indices of two sizes", cusparseCreateCsr(&matrix, 2, 2, 2, nullptr, nullptr, nullptr, CUSPARSE_INDEX_64I,
                                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  cusparseDnMatDescr_t dense;
  say("a leading dimension below the rows",
      cusparseCreateDnMat(&dense, 3, 2, 2, nullptr, CUDA_R_32F, CUSPARSE_ORDER_COL));
  say("offsets past the array, here", multiply({1, 2}, {1, 2}, 2));
  cudaGetLastError();
}

}  // namespace

int main(int argc, char** argv) {
  if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS) return 1;
  const char* const what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "refused") == 0) {
    std::printf("begin\n");
    cusparseSpGEMMDescr_t product;
    cusparseSpGEMM_createDescr(&product);
    std::printf("end\n");
  } else if (std::strcmp(what, "offsets") == 0) {
    say("queued", multiply({1, 1 << 30, 3}, {1, 2}, 2));
  } else if (std::strcmp(what, "least-offset") == 0) {
    say("queued", multiply({INT64_MIN, 2, 3}, {1, 2}, 2));
  } else if (std::strcmp(what, "columns") == 0) {
    say("queued", multiply({1, 2, 3}, {1, 3}, 2));
  } else {
    vectors<float, int>("float");
    vectors<double, int>("double");
    vectors<float, int64_t>("float, by wide indices");
    vectors<double, int64_t>("double, by wide indices");
    matrices();
    more_products();
    conversions();
    if (std::strcmp(what, "gpu") != 0) wrong();
  }
  cusparseDestroy(handle);
}
