// expect: vec_add_device: compile error
// tries: to take over the reference from the folder beside the lab
// says: No such file or directory
// No solution can be seen where submissions are compiled.

#include <../../solutions/vecadd/vec_add_device/2_float4.cu>
