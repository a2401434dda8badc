#define BOOST_TEST_MODULE backends
#include <boost/test/unit_test.hpp>
