"""The compiled kernel: what search/ calls. Each .pxi file wraps the C files of one topic."""

include "play.pxi"
include "backward.pxi"
include "random_leg.pxi"
include "seats.pxi"
include "climb.pxi"
