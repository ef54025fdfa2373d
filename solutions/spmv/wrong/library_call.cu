// expect: spmv_csr: refused by audit
// The lab is about writing the product: a call of cuSPARSE, which lab.toml forbids.
#include "spmv.cuh"

#include <cusparse.h>

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  static cusparseHandle_t handle = nullptr;
  if (handle == nullptr) cusparseCreate(&handle);
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t in;
  cusparseDnVecDescr_t out;
  cusparseCreateCsr(&a, rows, cols, nnz, const_cast<int32_t*>(d_row_offsets), const_cast<int32_t*>(d_columns),
                    const_cast<float*>(d_values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                    CUDA_R_32F);
  cusparseCreateDnVec(&in, cols, const_cast<float*>(d_x), CUDA_R_32F);
  cusparseCreateDnVec(&out, rows, d_y, CUDA_R_32F);
  const float one = 1;
  const float zero = 0;
  cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, in, &zero, out, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1,
               nullptr);
}
