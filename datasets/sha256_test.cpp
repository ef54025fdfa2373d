// SHA-256 against the digests that the standard publishes, and at the lengths around a block.
#include "datasets/sha256.h"

#include <gtest/gtest.h>

#include <set>

#include "datasets/scratch_folder.h"

namespace lanewise {
namespace {

std::string digest_of(const std::string& text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.digest();
}

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowBytesAreAdded) {
  std::set<std::string> digests;
  for (std::size_t length = 54; length <= 130; ++length) {
    const std::string text(length, 'x');
    Sha256 hash;
    for (std::size_t at = 0; at < length; at += 7) hash.add(text.data() + at, std::min<std::size_t>(7, length - at));
    const std::string digest = hash.digest();
    EXPECT_EQ(digest, digest_of(text)) << length;
    digests.insert(digest);
  }
  EXPECT_EQ(digests.size(), 77u);
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const ScratchFolder folder;
  const auto file = folder.write("abc", {'a', 'b', 'c'});
  EXPECT_EQ(std::get<std::string>(sha256_of_file(file)), digest_of("abc"));
  EXPECT_TRUE(std::holds_alternative<DataError>(sha256_of_file(folder.path())));
  EXPECT_TRUE(std::holds_alternative<DataError>(sha256_of_file(folder.path() / "none")));
}

}  // namespace
}  // namespace lanewise
