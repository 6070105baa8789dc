"""Pure: no disk, no clock, no network."""
