#define BOOST_TEST_MODULE kinds
#include <boost/test/unit_test.hpp>
