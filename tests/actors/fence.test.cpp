#include "trunnion/actors/fence.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace trunnion;

namespace {

fencing_token token(std::uint64_t e, std::uint64_t r) { return {{e}, {r}}; }

/// A folder that goes with the test.
struct folder {
  folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "trunnion-fence-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(pattern.data()));
    path = pattern;
  }
  ~folder() { std::filesystem::remove_all(path); }

  std::filesystem::path path;
  std::filesystem::path file() const { return path / "mount.fence"; }

  void write(const std::string& text) const { std::ofstream{file()} << text; }
  std::string read() const {
    std::ifstream in{file()};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(fence_test, folder)

BOOST_AUTO_TEST_CASE(a_fence_refuses_an_older_token_and_an_older_epoch) {
  fence gate;
  BOOST_TEST(gate.admit(token(7, 5)).has_value());
  BOOST_TEST(gate.admit(token(7, 5)).has_value());
  BOOST_TEST((gate.admit(token(7, 4)).error().code == error_code::stale_token));
  BOOST_TEST(gate.admit(token(7, 6)).has_value());
  BOOST_TEST((gate.admit(token(6, 99)).error().code == error_code::stale_token));
  BOOST_TEST(gate.admit(token(8, 1)).has_value());
  BOOST_TEST((gate.admit(token(7, 100)).error().code == error_code::stale_token));
  BOOST_TEST((*gate.newest() == token(8, 1)));
}

BOOST_AUTO_TEST_CASE(a_fence_with_a_file_remembers_across_its_lives) {
  {
    auto gate = fence::open(file());
    BOOST_REQUIRE(gate);
    BOOST_TEST(!gate->newest());
    BOOST_TEST(gate->admit(token(7, 5)).has_value());
  }
  auto gate = fence::open(file());
  BOOST_REQUIRE(gate);
  BOOST_TEST((gate->admit(token(7, 4)).error().code == error_code::stale_token));
  BOOST_TEST(gate->admit(token(7, 6)).has_value());
  BOOST_TEST(read() == "trunnion-fence 1 7:6\n");
}

BOOST_AUTO_TEST_CASE(its_file_is_readable_by_its_owner_alone) {
  auto gate = fence::open(file());
  BOOST_REQUIRE(gate->admit(token(7, 5)));
  struct stat status {};
  BOOST_REQUIRE_EQUAL(::stat(file().c_str(), &status), 0);
  BOOST_TEST((status.st_mode & 0777U) == 0600U);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_an_error_and_stays_as_it_is) {
  for (const auto* text : {"", "trunnion-fence 1 7:5", "trunnion-fence 2 7:5\n", "7:5\n",
                           "trunnion-fence 1 7;5\n", "trunnion-fence 1 7:5\n7:6\n"}) {
    write(text);
    const auto gate = fence::open(file());
    BOOST_REQUIRE(!gate);
    BOOST_TEST((gate.error().code == error_code::storage_damaged));
    BOOST_TEST(read() == text);
  }
}

BOOST_AUTO_TEST_CASE(a_token_that_cannot_be_remembered_is_not_admitted) {
  auto gate = fence::open(path / "missing" / "mount.fence");
  BOOST_REQUIRE(gate);
  BOOST_TEST(!gate->admit(token(7, 5)));
  BOOST_TEST(!gate->newest());
}

BOOST_AUTO_TEST_CASE(a_draft_that_a_crash_left_is_in_nobodys_way) {
  std::ofstream{file().string() + ".new"} << "half";
  auto gate = fence::open(file());
  BOOST_TEST(gate->admit(token(7, 5)).has_value());
  BOOST_TEST(read() == "trunnion-fence 1 7:5\n");
}

BOOST_AUTO_TEST_SUITE_END()
