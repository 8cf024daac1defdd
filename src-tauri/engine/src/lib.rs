//! The facade over clock and imaging: settings, journal, slots, events.
