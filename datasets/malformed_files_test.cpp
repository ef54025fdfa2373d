// Files that are broken, hostile or of another kind, for every reader: each ends in exactly its sentence.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "datasets/edge_list.h"
#include "datasets/image.h"
#include "datasets/matrix_market.h"
#include "datasets/npy.h"
#include "datasets/scratch_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;  // text with a zero byte in it

template <class Read>
std::string sentence_of(const Read& read, const fs::path& file) {
  const auto result = read(file);
  const auto* error = std::get_if<DataError>(&result);
  return error == nullptr ? "(it was read)" : error->sentence;
}

std::string matrix(const fs::path& file) { return sentence_of(read_matrix_market, file); }
std::string graph(const fs::path& file) { return sentence_of(read_edge_list, file); }
std::string array(const fs::path& file) { return sentence_of(read_npy, file); }
std::string picture(const fs::path& file) {
  return sentence_of([](const fs::path& path) { return read_image(path); }, file);
}

using Reader = std::string (*)(const fs::path&);

struct Malformed {
  const char* what;
  Reader reader;
  std::string contents;
  std::string sentence;  // FILE stands for the file's name in quotes
};

std::string coordinate(const std::string& rest) { return "%%MatrixMarket matrix coordinate real general\n" + rest; }
std::string of_kind(const std::string& kind, const std::string& rest) { return "%%MatrixMarket " + kind + "\n" + rest; }

std::string npy_file(const std::string& header, const std::string& elements) {
  return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size() & 255) + static_cast<char>(header.size() >> 8) +
         header + elements;
}
std::string descr(const std::string& dtype) {
  return "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (1,)}";
}
std::string shape(const std::string& extents) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + extents + "}";
}

std::string ten_million(char c) {
  std::string text;
  text.resize(10'000'000, c);
  return text;
}

std::string png_chunk(const std::string& type, const std::string& data) {
  std::string chunk;
  for (int shift = 24; shift >= 0; shift -= 8) chunk += static_cast<char>(data.size() >> shift);
  return chunk + type + data + "\0\0\0\0"s;  // a checksum, which stb_image does not look at
}

// 18 million zeros in 114 kilobytes (RFC 1950 and 1951): one zero, and then 70000 times 258 bytes from one byte before.
std::string deflated_zeros() {
  std::string data = "\x78\x01";
  int filled = 0;
  const auto put = [&](const char* bits) {
    for (; *bits != 0; ++bits, ++filled) {
      if (filled % 8 == 0) data += '\0';
      if (*bits == '1') data.back() = static_cast<char>(data.back() | 1 << filled % 8);
    }
  };
  put("110");  // the last block, with the fixed codes
  put("00110000");
  for (int i = 0; i < 70000; ++i) put("1100010100000");
  put("0000000");
  return data + "\0\0\0\0"s;
}

std::string ones(int count) {
  std::string extents;
  for (int i = 0; i < count; ++i) extents += "1,";
  return extents;
}

const std::vector<Malformed>& matrices() {
  static const std::vector<Malformed> kRows = {
      {"no banner", matrix, "3 3 1\n1 1 1\n",
       "FILE, line 1: a Matrix Market file begins with '%%MatrixMarket matrix coordinate real general' or the like, "
       "this one with '3 3 1'"},
      {"an HTML page", matrix, "<!DOCTYPE html>\n<html>\n",
       "FILE, line 1: a Matrix Market file begins with '%%MatrixMarket matrix coordinate real general' or the like, "
       "this one with '<!DOCTYPE html>'"},
      {"binary garbage", matrix,
       "\x7F"
       "ELF\x02\x01\x01\0\0\0\xFF\xFE"s,
       "FILE, line 1: a Matrix Market file begins with '%%MatrixMarket matrix coordinate real general' or the like, "
       "this one with '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\xff\\xfe'"},
      {"only zero bytes", matrix, std::string(64, '\0'),
       "FILE, line 1: a Matrix Market file begins with '%%MatrixMarket matrix coordinate real general' or the like, "
       "this one with "
       "'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
       "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00...'"},
      {"compressed", matrix, "\x1F\x8B\x08\0\0\0"s,
       "FILE is compressed with gzip; unpack it first (gunzip, or tar xzf)"},
      {"a zip archive", matrix, "PK\x03\x04", "FILE is a zip archive; unpack it first (unzip)"},
      {"UTF-16", matrix, "\xFF\xFE%\0%\0"s, "FILE is text in UTF-16; save it as plain text or UTF-8"},
      {"a cut banner", matrix, "%%MatrixMarket matrix coordinate",
       "FILE, line 1: the banner has four words after %%MatrixMarket, as in '%%MatrixMarket matrix coordinate real "
       "general' or the like, this one 2"},
      {"a fifth word", matrix, of_kind("matrix coordinate real general sorted", "1 1 0\n"),
       "FILE, line 1: the banner has four words after %%MatrixMarket, as in '%%MatrixMarket matrix coordinate real "
       "general' or the like, this one 5"},
      {"a vector", matrix, of_kind("vector coordinate real general", "3 1\n1 1\n"),
       "FILE, line 1: the file holds a 'vector'; only a 'matrix' is read"},
      {"an unknown format", matrix, of_kind("matrix dense real general", "1 1\n1\n"),
       "FILE, line 1: 'dense' is not a format; the formats are 'coordinate' and 'array'"},
      {"complex numbers", matrix, of_kind("matrix coordinate complex general", "1 1 1\n1 1 1 0\n"),
       "FILE, line 1: complex matrices are not supported; real, integer and pattern ones are"},
      {"an unknown kind", matrix, of_kind("matrix coordinate float general", "1 1 1\n1 1 1\n"),
       "FILE, line 1: 'float' is not a kind of entry; 'real', 'integer' and 'pattern' are supported"},
      {"hermitian", matrix, of_kind("matrix coordinate real hermitian", "1 1 1\n1 1 1\n"),
       "FILE, line 1: hermitian matrices are complex, which is not supported"},
      {"an unknown symmetry", matrix, of_kind("matrix coordinate real upper", "1 1 1\n1 1 1\n"),
       "FILE, line 1: 'upper' is not a symmetry; 'general', 'symmetric' and 'skew-symmetric' are supported"},
      {"an array that is a pattern", matrix, of_kind("matrix array pattern general", "1 1\n1\n"),
       "FILE, line 1: an array lists every entry, so it has no pattern; did you mean 'coordinate'?"},
      {"a skew pattern", matrix, of_kind("matrix coordinate pattern skew-symmetric", "2 2 1\n2 1\n"),
       "FILE, line 1: a skew-symmetric matrix has signs, and a pattern has none; did you mean 'symmetric'?"},
      {"nothing below the banner", matrix, coordinate(""),
       "FILE ends after line 1, before the line with the sizes (rows columns entries)"},
      {"only comments below it", matrix, coordinate("% one\n%\n\n"),
       "FILE ends after line 4, before the line with the sizes (rows columns entries)"},
      {"two sizes", matrix, coordinate("3 3\n1 1 1\n"),
       "FILE, line 2: the sizes (rows columns entries) are 3 whole numbers, not '3 3'"},
      {"four sizes", matrix, coordinate("3 3 1 0\n1 1 1\n"),
       "FILE, line 2: the sizes (rows columns entries) are 3 whole numbers, not '3 3 1 0'"},
      {"text for a size", matrix, coordinate("3 three 1\n1 1 1\n"),
       "FILE, line 2: the sizes (rows columns entries) are 3 whole numbers, not '3 three 1'"},
      {"a fraction for a size", matrix, coordinate("3 3.0 1\n1 1 1\n"),
       "FILE, line 2: the sizes (rows columns entries) are 3 whole numbers, not '3 3.0 1'"},
      {"negative sizes", matrix, coordinate("3 -3 1\n1 1 1\n"),
       "FILE, line 2: the sizes (rows columns entries) cannot be negative, as in '3 -3 1'"},
      {"a count that overflows 32 bits", matrix, coordinate("3 3 4294967297\n1 1 1\n"),
       "FILE, line 2: at most 2147483647 entries are supported, not '3 3 4294967297'"},
      {"a count that overflows 64 bits", matrix, coordinate("3 3 18446744073709551617\n1 1 1\n"),
       "FILE, line 2: at most 2147483647 entries are supported, not '3 3 18446744073709551617'"},
      {"more rows than are read", matrix, coordinate("2147483647 1 1\n1 1 1\n"),
       "FILE, line 2: at most 268435456 rows and columns are supported, not '2147483647 1 1'"},
      {"more entries than the file has bytes", matrix, coordinate("3 3 2000000000\n1 1 1\n"),
       "FILE, line 2: the sizes promise 2000000000 entries, but the rest of the file has room for at most 1; is it cut "
       "short?"},
      {"an array beyond all memory", matrix, of_kind("matrix array real general", "200000000 200000000\n1\n"),
       "FILE, line 2: the sizes promise 40000000000000000 entries, but the rest of the file has room for at most 1; is "
       "it cut short?"},
      {"entries where there are no rows", matrix, coordinate("0 3 1\n1 1 1\n"),
       "FILE, line 2: a matrix of 0 x 3 has no room for 1 entries"},
      {"symmetric and not square", matrix, of_kind("matrix coordinate real symmetric", "3 2 1\n1 1 1\n"),
       "FILE, line 2: a matrix of 3 x 2 is not square, so it cannot be symmetric"},
      {"too few entries", matrix, coordinate("3 3 3\n% note\n1 1 1.00000\n2 2 2.00000\n"),
       "FILE ends after line 5, after 2 of 3 entries"},
      {"a cut last entry", matrix, coordinate("3 3 2\n1 1 1.0\n2 2"),
       "FILE, line 4: 2 words where an entry has 3 (row column value): '2 2'"},
      {"too many entries", matrix, coordinate("3 3 1\n1 1 1\n2 2 2\n"),
       "FILE, line 4: more than the 1 entries that the sizes promise: '2 2 2'"},
      {"row 0", matrix, coordinate("3 3 1\n0 1 1\n"), "FILE, line 3: row 0; rows and columns are counted from 1"},
      {"column 0 of a pattern", matrix, of_kind("matrix coordinate pattern general", "3 3 1\r\n1 0\r\n"),
       "FILE, line 3: column 0; rows and columns are counted from 1"},
      {"a negative row", matrix, coordinate("3 3 1\n-1 1 1\n"),
       "FILE, line 3: row '-1' is not among the 3 that the sizes announce"},
      {"a row out of range", matrix, coordinate("3 3 1\n4 1 1\n"),
       "FILE, line 3: row '4' is not among the 3 that the sizes announce"},
      {"a column out of range", matrix, coordinate("3 3 2\n1 1 1\n\n3 4 1\n"),
       "FILE, line 5: column '4' is not among the 3 that the sizes announce"},
      {"a row that overflows", matrix, coordinate("3 3 1\n99999999999999999999999999999999999 1 1\n"),
       "FILE, line 3: row '99999999999999999999999999999999999' is not among the 3 that the sizes announce"},
      {"a row that is 1 modulo 2^32", matrix, coordinate("3 3 1\n4294967297 1 1\n"),
       "FILE, line 3: row '4294967297' is not among the 3 that the sizes announce"},
      {"a fraction for a row", matrix, coordinate("3 3 1\n1.5 1 1\n"),
       "FILE, line 3: '1.5' is not a row number (a whole number from 1)"},
      {"text for a value", matrix, coordinate("3 3 1\n1 1 one\n"), "FILE, line 3: 'one' is not a number"},
      {"a decimal comma", matrix, coordinate("3 3 1\n1 1 0,5\n"), "FILE, line 3: '0,5' is not a number"},
      {"a value with something behind it", matrix, coordinate("3 3 1\n1 1 1.0f\n"),
       "FILE, line 3: '1.0f' is not a number"},
      {"NaN", matrix, coordinate("3 3 2\n1 1 1\n2 2 nan\n"),
       "FILE, line 4: 'nan' is not finite, which is not supported"},
      {"infinity", matrix, coordinate("3 3 1\n1 1 -Inf\n"),
       "FILE, line 3: '-Inf' is not finite, which is not supported"},
      {"a value too large for a float", matrix, coordinate("3 3 1\n1 1 1e39\n"),
       "FILE, line 3: '1e39' is too large for a float (at most 3.4e38)"},
      {"a value too large for a double", matrix, coordinate("3 3 1\n1 1 -1e999\n"),
       "FILE, line 3: '-1e999' is too large for a float (at most 3.4e38)"},
      {"no value", matrix, coordinate("3 3 2\n1 1 1\n2 2\n"),
       "FILE, line 2: the sizes promise 2 entries, but the rest of the file has room for at most 1; is it cut short?"},
      {"a value in a pattern", matrix, of_kind("matrix coordinate pattern general", "3 3 1\n1 1 1\n"),
       "FILE, line 3: 3 words where an entry has 2 (row column): '1 1 1'"},
      {"a fraction among integers", matrix, of_kind("matrix coordinate integer general", "3 3 1\n1 1 1.5\n"),
       "FILE, line 3: '1.5' is not an integer, as the first line requires; should that line say real?"},
      {"an integer beyond 64 bits", matrix,
       of_kind("matrix coordinate integer general", "1 1 1\n1 1 9223372036854775808\n"),
       "FILE, line 3: '9223372036854775808' does not fit into a 64-bit integer; declare the matrix real in its first "
       "line"},
      {"an entry above the diagonal", matrix, of_kind("matrix coordinate real symmetric", "3 3 1\n1 2 1\n"),
       "FILE, line 3: row 1, column 2 is above the diagonal; a symmetric or skew-symmetric file lists only the lower "
       "triangle"},
      {"an entry on a skew diagonal", matrix, of_kind("matrix coordinate real skew-symmetric", "3 3 1\n2 2 1\n"),
       "FILE, line 3: an entry on the diagonal, where a skew-symmetric matrix has only zeros, which are not listed"},
      {"two entries of an array on a line", matrix, of_kind("matrix array real general", "2 2\n1 2\n3 4\n"),
       "FILE, line 3: an array has one entry on each line, not more: '1 2'"},
      {"an array that is cut short", matrix, of_kind("matrix array real general", "2 2\n1.000\n2.000\n3.000\n"),
       "FILE ends after line 5, after 3 of 4 entries"},
      {"an array that goes on", matrix, of_kind("matrix array real general", "1 2\n1\n2\n3\n"),
       "FILE, line 5: more than the 2 entries that the sizes promise: '3'"},
      {"zero bytes within a line", matrix, coordinate("3 3 1\n1 1\0 1\n"s),
       "FILE, line 3: '1\\x00' is not a column number (a whole number from 1)"},
      {"lines that end as on old Macs", matrix, coordinate("3 3 2\n1 1 1\r2 2 2\r"),
       "FILE, line 3: 6 words where an entry has 3 (row column value): '1 1 1\\x0d2 2 2'"},
      {"no line feed at all", matrix, "%%MatrixMarket matrix coordinate real general\r1 1 1\r1 1 1\r",
       "FILE has the line endings of old Macs; convert them (tr '\\r' '\\n')"},
      {"a line of ten million characters", matrix, coordinate("3 3 1\n1 1 " + ten_million('7') + "\n"),
       "FILE, line 3: '7777777777777777777777777777777777777777...' is too large for a float (at most 3.4e38)"},
      {"a line of ten million blanks, and nothing", matrix, coordinate("3 3 1\n1" + ten_million(' ') + "\n"),
       "FILE, line 3: 1 word where an entry has 3 (row column value): '1'"},
  };
  return kRows;
}

const std::vector<Malformed>& graphs() {
  static const std::vector<Malformed> kRows = {
      {"only comments", graph, "# one\n% two\n\n", "FILE holds no edges, only 3 blank or comment lines"},
      {"a negative id", graph, "0 1\n1 -2\n",
       "FILE, line 2: '-2' is not a vertex id (a whole number from 0); a line without an edge must begin with #"},
      {"an id beyond 64 bits", graph, "0 1\n1 18446744073709551616\n",
       "FILE, line 2: '18446744073709551616' is too large for a vertex id of 64 bits"},
      {"a fraction for an id", graph, "0 1\n1 2.5\n",
       "FILE, line 2: '2.5' is not a vertex id (a whole number from 0); a line without an edge must begin with #"},
      {"names of columns", graph, "source,target\n0,1\n",
       "FILE, line 1: 'source' is not a vertex id (a whole number from 0); a line without an edge must begin with #"},
      {"names of vertices", graph, "0 1\nalice bob\n",
       "FILE, line 2: 'alice' is not a vertex id (a whole number from 0); a line without an edge must begin with #"},
      {"one id on a line", graph, "0 1\n2\n", "FILE, line 2: one number where an edge has two: '2'"},
      {"one id, and nothing else", graph, "7\n", "FILE, line 1: one number where an edge has two: '7'"},
      {"a count of vertices alone", graph, "3\n0 1\n1 2\n",
       "FILE, line 1: one number where an edge has two: '3'; if it is a count, begin the line with #"},
      {"a weight", graph, "0 1\n1 2 0.5\n",
       "FILE, line 2: more than two numbers where an edge has two: '1 2 0.5'; weights are not supported: remove them "
       "(cut, or awk '{print $1, $2}')"},
      {"a weight on the first line", graph, "0 1 0.5\n1 2 0.5\n",
       "FILE, line 1: more than two numbers where an edge has two: '0 1 0.5'; weights are not supported: remove them "
       "(cut, or awk '{print $1, $2}')"},
      {"four numbers", graph, "0 1\n1 2 3 4\n",
       "FILE, line 2: more than two numbers where an edge has two: '1 2 3 4'; weights are not supported: remove them "
       "(cut, or awk '{print $1, $2}')"},
      {"two commas", graph, "0,1\n1,,2\n", "FILE, line 2: two commas in a row: '1,,2'"},
      {"nothing behind the comma", graph, "0,1\n1,\n", "FILE, line 2: nothing after the comma: '1,'"},
      {"semicolons", graph, "0;1\n1;2\n",
       "FILE, line 1: '0;1' is not a vertex id (a whole number from 0); a line without an edge must begin with #"},
      {"counts above a file that is cut short", graph, "4 3\r\n0\t1\r\n1\t2\r\n",
       "FILE, line 1: this looks like the counts of 4 vertices and 3 edges, but 2 edges follow; is the file cut short? "
       "If it is an edge, move it further down; if it is neither, begin the line with #"},
      {"counts parted as the edges, above too few", graph, "4 9\n0 1\n1 2\n",
       "FILE, line 1: this looks like the counts of 4 vertices and 9 edges, but 2 edges follow; is the file cut short? "
       "If it is an edge, move it further down; if it is neither, begin the line with #"},
      {"three counts that are not true", graph, "4 4 3\n0 1\n1 2\n",
       "FILE, line 1: the file announces 4 vertices and 3 edges, but 2 edges follow; is it cut short?"},
      {"two lines of counts that are not true", graph, "4\n3\n0 1\n1 2\n",
       "FILE, line 1: the file announces 4 vertices and 3 edges, but 2 edges follow; is it cut short?"},
      {"counts of fewer vertices than there are", graph, "2 2 2\n0 1\n1 2\n",
       "FILE, line 1: the file announces 2 vertices and 2 edges, but its edges name 3 vertices"},
      {"a comment with counts that are not true", graph, "# Nodes: 3 Edges: 3\n0 1\n1 2\n",
       "FILE, line 1: the comment announces 3 edges, but there are 2; is the file cut short? If not, remove the "
       "comment"},
      {"an edge that is cut short", graph, "0 1\n1 2\n2", "FILE, line 3: one number where an edge has two: '2'"},
      {"zero bytes", graph, "0 1\n\0\0\0\n"s,
       "FILE, line 2: '\\x00\\x00\\x00' is not a vertex id (a whole number from 0); a line without an edge must begin "
       "with #"},
      {"a Matrix Market file", graph, coordinate("3 3 1\n1 1 1.5\n"),
       "FILE, line 3: more than two numbers where an edge has two: '1 1 1.5'; weights are not supported: remove them "
       "(cut, or awk '{print $1, $2}')"},
      {"binary garbage", graph, "\x93\x01\xFF\x80",
       "FILE, line 1: '\\x93\\x01\\xff\\x80' is not a vertex id (a whole number from 0); a line without an edge must "
       "begin with #"},
      {"compressed", graph, "\x1F\x8B\x08\0\0\0"s,
       "FILE is compressed with gzip; unpack it first (gunzip, or tar xzf)"},
      {"UTF-16", graph,
       "\xFE\xFF\0"
       "0\0 "s,
       "FILE is text in UTF-16; save it as plain text or UTF-8"},
      {"a line of ten million digits", graph, "0 1\n1 " + ten_million('7') + "\n",
       "FILE, line 2: '7777777777777777777777777777777777777777...' is too large for a vertex id of 64 bits"},
  };
  return kRows;
}

const std::vector<Malformed>& arrays() {
  static const std::vector<Malformed> kRows = {
      {"another kind of file", array, "P6 1 1 255\nabc",
       "FILE is not a NumPy array: it begins with 'P6 1 1', not with '\\x93NUMPY'"},
      {"an archive", array, "PK\x03\x04",
       "FILE is an archive of arrays (.npz); unpack it (unzip) and read the .npy files in it"},
      {"an archive without members", array, "PK\x05\x06",
       "FILE is an archive of arrays (.npz); unpack it (unzip) and read the .npy files in it"},
      {"a pickle", array, "\x80\x04\x95",
       "FILE is a Python pickle, which can execute code when loaded and is not supported; use numpy.save"},
      {"compressed", array, "\x1F\x8B", "FILE is compressed with gzip; unpack it first (gunzip)"},
      {"a magic that is cut short", array, "\x93NUM",
       "FILE is not a NumPy array: it begins with '\\x93NUM', not with '\\x93NUMPY'"},
      {"the magic alone", array, "\x93NUMPY", "FILE is cut short: it ends after 6 bytes, inside its header"},
      {"a length that is cut short", array, "\x93NUMPY\x02\0\x10\0"s,
       "FILE is cut short: it ends after 10 bytes, inside its header"},
      {"version 4", array, "\x93NUMPY\x04\0\x10\0\0\0"s,
       "FILE, byte 6: format version 4.0 is not supported; 1.0, 2.0 and 3.0 are"},
      {"version 1.1", array, "\x93NUMPY\x01\x01\x10\0\0\0"s,
       "FILE, byte 6: format version 1.1 is not supported; 1.0, 2.0 and 3.0 are"},
      {"a header that is cut short", array, "\x93NUMPY\x01\0\x76\0{'descr'"s,
       "FILE, byte 8: the header should have 118 bytes, but 8 follow; is the file cut short?"},
      {"a header of 4 GB", array, "\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{'descr'"s,
       "FILE, byte 8: the header should have 4294967295 bytes, but 8 follow; is the file cut short?"},
      {"an empty header", array, npy_file("", ""), "FILE, byte 10: the header must have '{' here, not its end"},
      {"a header that is no dictionary", array, npy_file("[1, 2]", ""),
       "FILE, byte 10: the header must have '{' here, not '[1, 2]'"},
      {"a header that calls a function", array, npy_file("__import__('os').system('true')", ""),
       "FILE, byte 10: the header must have '{' here, not '__import__('os').sys'"},
      {"a dictionary that does not end", array, npy_file("{'descr': '<f4', ", ""),
       "FILE, byte 27: the header must have a quoted key here, not its end"},
      {"quotes that do not end", array, npy_file("{'descr': '<f4, }", ""),
       "FILE, byte 20: the string that begins here does not end"},
      {"a key without a value", array, npy_file("{'descr', 'shape'}", ""),
       "FILE, byte 18: the header must have ':' here, not ', 'shape'}'"},
      {"a key that is a number", array, npy_file("{1: 2}", ""),
       "FILE, byte 11: the header must have a quoted key here, not '1: 2}'"},
      {"an unknown key", array, npy_file("{'dtype': '<f4'}", ""),
       "FILE, byte 11: 'dtype' is not a header key; the keys are 'descr', 'fortran_order' and 'shape'"},
      {"a key that is there twice", array, npy_file("{'descr': '<f4', 'descr': '<f8'}", ""),
       "FILE, byte 27: 'descr' appears twice"},
      {"no type", array, npy_file("{'fortran_order': False, 'shape': (1,)}", "1234"),
       "FILE, byte 49: the header ends without a 'descr'"},
      {"no order", array, npy_file("{'descr': '<f4', 'shape': (1,)}", "1234"),
       "FILE, byte 41: the header ends without a 'fortran_order'"},
      {"no shape", array, npy_file("{'descr': '<f4', 'fortran_order': False}", "1234"),
       "FILE, byte 50: the header ends without a 'shape'"},
      {"no comma", array, npy_file("{'descr': '<f4' 'fortran_order': False}", ""),
       "FILE, byte 26: the header must have ',' or '}' here, not ''fortran_order': Fal'"},
      {"something behind the dictionary", array, npy_file(shape("(1,)") + " 1", "1234"),
       "FILE, byte 66: the header must have nothing more here, not '1'"},
      {"objects", array, npy_file(descr("|O"), "\x80\x04."),
       "FILE, byte 20: the array holds Python objects, which are pickled and can execute code when loaded "
       "('|O'); integers of 8 to 64 bits, float32 and float64 are supported: use astype before saving"},
      {"records", array, npy_file("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234"),
       "FILE, byte 20: the array holds records; save each field separately"},
      {"half precision", array, npy_file(descr("<f2"), "12"),
       "FILE, byte 20: elements of type '<f2' are not supported; integers of 8 to 64 bits, float32 and float64 are "
       "supported: use astype before saving"},
      {"long double", array, npy_file(descr("<f16"), std::string(16, '0')),
       "FILE, byte 20: elements of type '<f16' are not supported; integers of 8 to 64 bits, float32 and float64 are "
       "supported: use astype before saving"},
      {"complex numbers", array, npy_file(descr("<c8"), "12345678"),
       "FILE, byte 20: the array holds complex numbers ('<c8'); integers of 8 to 64 bits, float32 and float64 are "
       "supported: use astype before saving"},
      {"booleans", array, npy_file(descr("|b1"), "1"),
       "FILE, byte 20: the array holds booleans ('|b1'); integers of 8 to 64 bits, float32 and float64 are supported: "
       "use astype before saving"},
      {"text", array, npy_file(descr("<U4"), std::string(16, '0')),
       "FILE, byte 20: the array holds text ('<U4'); integers of 8 to 64 bits, float32 and float64 are supported: use "
       "astype before saving"},
      {"dates", array, npy_file(descr("<M8[ns]"), "12345678"),
       "FILE, byte 20: the array holds dates ('<M8[ns]'); integers of 8 to 64 bits, float32 and float64 are supported: "
       "use astype before saving"},
      {"no such type", array, npy_file(descr("<q9"), "1"),
       "FILE, byte 20: elements of type '<q9' are not supported; integers of 8 to 64 bits, float32 and float64 are "
       "supported: use astype before saving"},
      {"an empty type", array, npy_file(descr(""), "1"),
       "FILE, byte 20: elements of type '' are not supported; integers of 8 to 64 bits, float32 and float64 are "
       "supported: use astype before saving"},
      {"a type that is no text", array, npy_file("{'descr': 4}", ""),
       "FILE, byte 20: the header must have the quoted element type here, not '4}'"},
      {"a byte order left open", array, npy_file(descr("|i4"), "1234"),
       "FILE, byte 20: '|i4' does not state the byte order"},
      {"an order that is a number", array, npy_file("{'fortran_order': 0}", ""),
       "FILE, byte 28: the header must have True or False here, not '0}'"},
      {"a shape that is no tuple", array, npy_file(shape("(3)"), std::string(12, '0')),
       "FILE, byte 62: the header must have a ',' after a single extent here, not ')}'"},
      {"a shape that is a list", array, npy_file(shape("[3]"), std::string(12, '0')),
       "FILE, byte 60: the header must have a tuple of extents, as in (3, 4), here, not '[3]}'"},
      {"a negative extent", array, npy_file(shape("(-1,)"), "1234"), "FILE, byte 61: the extent '-1' is negative"},
      {"a fraction for an extent", array, npy_file(shape("(1.5,)"), "1234"),
       "FILE, byte 62: the header must have ',' or ')' here, not '.5,)}'"},
      {"two commas", array, npy_file(shape("(1,,1)"), "1234"),
       "FILE, byte 63: the header must have an extent (a whole number) here, not ',1)}'"},
      {"an extent beyond 64 bits", array, npy_file(shape("(18446744073709551617,)"), "1234"),
       "FILE, byte 61: '18446744073709551617' is too large for an extent"},
      {"2^60 elements in 200 bytes", array, npy_file(shape("(1152921504606846976,)"), std::string(130, '0')),
       "FILE: the header promises 4611686018427387904 bytes (1152921504606846976 of float32), but the file has 130 "
       "after it; is it cut short?"},
      {"a product that is 1 modulo 2^64", array, npy_file(shape("(274177, 67280421310721)"), "1234"),
       "FILE: the header promises more than 2^63 bytes (274177 x 67280421310721 of float32), but the file has 4 after "
       "it; is it cut short?"},
      {"a shape of 65 extents", array, npy_file(shape("(" + ones(65) + ")"), "1234"),
       "FILE, byte 189: the shape has more than 64 extents"},
      {"too few elements", array, npy_file(shape("(2, 5)"), std::string(39, '0')),
       "FILE: the header promises 40 bytes (2 x 5 of float32), but the file has 39 after it; is it cut short?"},
      {"too many elements", array, npy_file(shape("(2, 5)"), std::string(41, '0')),
       "FILE: the header promises 40 bytes (2 x 5 of float32), but the file has 41 after it; nothing may follow the "
       "array"},
      {"a second array behind the first", array, npy_file(shape("(1,)"), "1234") + npy_file(shape("(1,)"), "1234"),
       "FILE: the header promises 4 bytes (1 of float32), but the file has 73 after it; nothing may follow the array"},
      {"zero bytes in the header", array, npy_file("{'descr': '<f4', \0\0\0}"s, ""),
       "FILE, byte 27: the header must have a quoted key here, not '\\x00\\x00\\x00}'"},
  };
  return kRows;
}

const std::vector<Malformed>& pictures() {
  const std::string png = "\x89PNG\r\n\x1A\n";
  static const std::vector<Malformed> kRows = {
      {"text", picture, "not a picture",
       "FILE is not a picture: it does not begin like a PNG, JPEG, PPM (P6) or PGM (P5)"},
      {"zero bytes", picture, std::string(100, '\0'),
       "FILE is not a picture: it does not begin like a PNG, JPEG, PPM (P6) or PGM (P5)"},
      {"an array", picture, npy_file(shape("(1,)"), "1234"),
       "FILE is not a picture: it does not begin like a PNG, JPEG, PPM (P6) or PGM (P5)"},
      {"a PNG that ends behind its magic", picture, png,
       "FILE begins like a picture, but its header is broken or cut short"},
      {"a PNG of 2^31 pixels a side", picture,
       png + "\0\0\0\x0DIHDR\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x08\x02\0\0\0"s + "\0\0\0\0"s,
       "FILE begins like a picture, but its header is broken or cut short"},
      {"a PNG of 20000 x 20000 pixels", picture,
       png + "\0\0\0\x0DIHDR\0\0\x4E\x20\0\0\x4E\x20\x08\0\0\0\0"s + "\0\0\0\0"s,
       "FILE claims 20000 x 20000 pixels; at most 67108864 are read"},
      {"a PNG with a chunk longer than the file", picture,
       png + png_chunk("IHDR", "\0\0\0\x01\0\0\0\x01\x08\0\0\0\0"s) + "\x3F\xFF\xFF\xFFIDAT\x78\x01\0\0\0\0\0\0"s,
       "FILE is a PNG that is broken or cut short: the chunk at byte 33 claims to have 1073741823 bytes, but 4 are "
       "left"},
      {"a PNG without an end", picture,
       png + png_chunk("IHDR", "\0\0\0\x01\0\0\0\x01\x08\0\0\0\0"s) + png_chunk("IDAT", "\x78\x01"),
       "FILE is a PNG that is broken or cut short: its end chunk is missing"},
      {"a PNG of one pixel that inflates to 18 million", picture,
       png + png_chunk("IHDR", "\0\0\0\x01\0\0\0\x01\x08\0\0\0\0"s) + png_chunk("IDAT", deflated_zeros()) +
           png_chunk("IEND", ""),
       "FILE is broken or cut short: its pixels cannot be decoded: 'outofmem'"},
      {"a JPEG that ends behind its magic", picture, "\xFF\xD8\xFF\xE0",
       "FILE is a JPEG that is broken or cut short: its end marker is missing"},
      {"a JPEG whose Huffman table goes on behind its segment", picture,
       "\xFF\xD8\xFF\xC4\0\x08\0\0\0\0\0\0"s + std::string(300, '\xFE') + "\xFF\xD9",
       "FILE is a JPEG that is broken or cut short: a Huffman table is too long"},
      {"a PPM header that is cut short", picture, "P6\n2 2\n",
       "FILE begins like a PGM or PPM picture, but its header is broken or cut short"},
      {"a PPM without pixels", picture, "P6\n0 2\n255\n", "FILE is a picture without pixels"},
      {"a PPM with too few samples", picture, "P6\n2 2\n255\nabc",
       "FILE is cut short: 12 bytes of pixels were announced, 3 are present"},
      {"a PPM of 10^9 pixels a side", picture, "P6\n1000000000 1000000000\n255\nabc",
       "FILE claims 1000000000 x 1000000000 pixels; at most 67108864 are read"},
      {"a PPM of 16-bit samples", picture, "P6\n1 1\n65535\nabcdef",
       "FILE has samples up to 65535; only 255 is supported"},
      {"a negative PGM", picture, "P5\n-1 1\n255\na",
       "FILE begins like a PGM or PPM picture, but its header is broken or cut short"},
      {"a PPM in text", picture, "P3\n1 1\n255\n1 2 3\n",
       "FILE is not a picture: it does not begin like a PNG, JPEG, PPM (P6) or PGM (P5)"},
  };
  return kRows;
}

void expect_sentences(const std::vector<Malformed>& rows) {
  const ScratchFolder folder;
  for (const Malformed& row : rows) {
    const fs::path file = folder.write("malformed", {row.contents.begin(), row.contents.end()});
    std::string sentence = row.reader(file);
    const std::string name = "'" + file.string() + "'";
    for (std::size_t at = 0; (at = sentence.find(name)) != std::string::npos;)
      sentence.replace(at, name.size(), "FILE");
    EXPECT_EQ(sentence, row.sentence) << row.what;
  }
}

TEST(MalformedFiles, MatrixMarket) { expect_sentences(matrices()); }
TEST(MalformedFiles, EdgeLists) { expect_sentences(graphs()); }
TEST(MalformedFiles, Arrays) { expect_sentences(arrays()); }
TEST(MalformedFiles, Pictures) { expect_sentences(pictures()); }

struct Way {
  Reader reader;
  const char* wanted;
};
constexpr Way kReaders[] = {{matrix, "matrix"}, {graph, "graph"}, {array, "NumPy"}, {picture, "picture"}};

TEST(MalformedFiles, WhatIsNoFileIsSaidByEveryReader) {
  const ScratchFolder folder;
  const fs::path empty = folder.write("empty", {});
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const fs::path link = folder.path() / "link";
  fs::create_symlink(folder.path() / "no_such_file", link);
  for (const Way& way : kReaders) {
    const auto quoted = [](const fs::path& file) { return "'" + file.string() + "'"; };
    EXPECT_EQ(way.reader(folder.path() / "none"), quoted(folder.path() / "none") + " does not exist");
    EXPECT_EQ(way.reader(link), quoted(link) + " does not exist");
    EXPECT_EQ(way.reader(folder.path()), quoted(folder.path()) + " is a folder, not a " + way.wanted + " file");
    EXPECT_EQ(way.reader(empty), quoted(empty) + " is empty");
    EXPECT_EQ(way.reader(pipe), quoted(pipe) + " is not a readable file");
    EXPECT_EQ(way.reader("/dev/zero"), "'/dev/zero' is not a readable file");
  }
}

TEST(MalformedFiles, AFileLargerThanAnyThatIsReadIsRefusedUnread) {
  const ScratchFolder folder;
  const fs::path file = folder.write("large", {'P'});
  std::error_code error;
  fs::resize_file(file, std::uintmax_t{1} << 40, error);  // a hole: it takes no room
  if (error) GTEST_SKIP() << "no file of 2^40 bytes can be made here";
  for (const Way& way : kReaders)
    EXPECT_NE(
        way.reader(file).find(std::string(" has 1099511627776 bytes; the limit for a ") + way.wanted + " file is "),
        std::string::npos)
        << way.reader(file);
}

// Root may read everything: be somebody else for a while.
class Nobody {
 public:
  Nobody() { good_ = geteuid() != 0 || (was_root_ = seteuid(65534) == 0); }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;
  ~Nobody() {
    if (was_root_ && seteuid(0) != 0) ADD_FAILURE() << "root could not be had back";
  }
  bool good() const { return good_; }

 private:
  bool was_root_ = false;
  bool good_ = false;
};

TEST(MalformedFiles, AFileThatMayNotBeReadIsSaid) {
  const ScratchFolder folder;
  const fs::path file = folder.write("secret", {'P', '6'});
  fs::permissions(folder.path(), fs::perms::all);
  fs::permissions(file, fs::perms::none);
  const Nobody nobody;
  if (!nobody.good()) GTEST_SKIP() << "nobody else can be had here";
  for (const Way& way : kReaders)
    EXPECT_EQ(way.reader(file),
              "'" + file.string() + "' cannot be read: do you have permission, and is nobody writing it?");
}

TEST(MalformedFiles, EveryCutOfASoundFileIsReadOrRefused) {
  const ScratchFolder folder;
  const std::string text =
      of_kind("matrix coordinate real symmetric", "% note\n12 12 3\n10 1 1.5\n2 2 -2e0\n11 10 3\n");
  const std::string edges = "# Nodes: 12 Edges: 3\n10 11\n12 13\n14 15\n";
  const std::string elements = npy_file(shape("(2, 2)"), std::string(16, '1'));
  for (const auto& [whole, reader] : {std::pair<std::string, Reader>{text, matrix}, {edges, graph}, {elements, array}})
    for (std::size_t length = 1; length < whole.size(); ++length) {
      const std::string sentence =
          reader(folder.write("cut", {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}));
      // Without its last line feed a text is whole; a last number that lacks a digit cannot be told from one that does
      // not.
      if (length + 4 < whole.size()) {
        EXPECT_NE(sentence, "(it was read)") << whole.substr(0, length);
      }
    }
}

}  // namespace
}  // namespace lanewise
