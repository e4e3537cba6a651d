// CuPy's complex numbers. As there, both operands of an operator have one type.
#pragma once
#include <complex>

using std::complex;
