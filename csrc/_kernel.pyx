"""The compiled kernel: what search/ calls. Each .pxi file wraps the C files of one topic."""

include "play.pxi"
include "seats.pxi"
include "backward.pxi"
include "random_leg.pxi"
include "climb.pxi"
include "histogram.pxi"
include "scan.pxi"
