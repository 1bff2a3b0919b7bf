//! Derivations of the lens. Being built.
