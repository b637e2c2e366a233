//! What is not to be kept of what a model writes: secrets and instructions. Structural rules come first
//! wherever there is one; these look at words, and come last.

mod clause;
mod instruction_scripts;
mod instruction_words;
mod instructions;
mod kinds;
mod markup;
mod orders;
mod secret_names;
mod secret_shapes;
mod secret_words;
mod secrets;

pub use instructions::instruction;
pub(super) use instructions::instruction_in;
pub use kinds::{Instruction, Secret};
pub use secrets::secret;
pub(super) use secrets::secret_in;
