// The precompiled header is built with this file; there is nothing else in it.
