// SHA-256 against published values: the examples of FIPS 180-4, and lengths around a block.
#include "record/sha256.hpp"
#include "support.hpp"

using namespace glassbox;

BOOST_AUTO_TEST_SUITE(sha256_hash)

BOOST_AUTO_TEST_CASE(the_constants_are_the_published_ones) {
    const sha::Constants& constants = sha::constants();
    BOOST_CHECK_EQUAL(constants.start.front(), 0x6a09e667U);
    BOOST_CHECK_EQUAL(constants.start.back(), 0x5be0cd19U);
    BOOST_CHECK_EQUAL(constants.round.front(), 0x428a2f98U);
    BOOST_CHECK_EQUAL(constants.round[31], 0x14292967U);
    BOOST_CHECK_EQUAL(constants.round.back(), 0xc67178f2U);
}

BOOST_AUTO_TEST_CASE(the_published_messages_have_their_published_hashes,
                     *label("hash_counts_bytes")) {
    BOOST_CHECK_EQUAL(sha256(""),
                      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    BOOST_CHECK_EQUAL(sha256("abc"),
                      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    BOOST_CHECK_EQUAL(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    BOOST_CHECK_EQUAL(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                             "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
                      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    BOOST_CHECK_EQUAL(sha256(std::string(1000000, 'a')),
                      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// 55 bytes and their padding fill one block, 56 need a second one.
BOOST_AUTO_TEST_CASE(lengths_around_a_block_are_padded_rightly, *label("hash_counts_bytes")) {
    const std::vector<std::pair<std::size_t, std::string>> computed_elsewhere{
        {54, "a3f01b6939256127582ac8ae9fb47a382a244680806a3f613a118851c1ca1d47"},
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"}};
    for (const auto& [length, hash] : computed_elsewhere)
        BOOST_CHECK_EQUAL(sha256(std::string(length, 'a')), hash);
}

BOOST_AUTO_TEST_CASE(every_byte_counts_whatever_its_value, *label("hash_counts_bytes")) {
    const std::string zeros(3, '\0');
    BOOST_CHECK_EQUAL(sha256(zeros),
                      "709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c");
    BOOST_CHECK_EQUAL(sha256("\xff"),
                      "a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89");
}

BOOST_AUTO_TEST_CASE(a_file_has_the_hash_of_its_bytes) {
    const TemporaryFolder folder;
    write_file(folder.path / "abc", "abc");
    BOOST_CHECK_EQUAL(sha256_of_file(folder.path / "abc"), sha256("abc"));
    check_message([&] { sha256_of_file(folder.path / "missing"); },
                  {"sha256_of_file: cannot open ", "missing"});
}

BOOST_AUTO_TEST_SUITE_END()
