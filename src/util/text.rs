//! Text from outside made fit for a terminal, and its width.
