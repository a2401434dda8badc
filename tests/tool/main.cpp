#define BOOST_TEST_MODULE tool
#include <boost/test/unit_test.hpp>
