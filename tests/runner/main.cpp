#define BOOST_TEST_MODULE runner
#include <boost/test/unit_test.hpp>
