//! What the screens can find: kinds of secrets and of instructions. Finding them is elsewhere.

use std::fmt;

/// What kind of secret a text holds. `Display` is a short name for messages: "a card number".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Secret {
    /// A key to an interface or a service.
    Key,
    /// A token that stands for a login.
    Token,
    /// A private key as a file has it.
    PrivateKey,
    /// A password within an address such as `postgres://user:password@host`.
    ConnectionString,
    /// The number of a payment card.
    CardNumber,
    /// The three or four digits on a payment card.
    CardCode,
    /// A password, passphrase or passcode.
    Password,
    /// A personal identification number.
    Pin,
    /// A code that is good for one login.
    OneTimeCode,
    /// The words that restore a wallet.
    SeedPhrase,
    /// The number of a bank account.
    AccountNumber,
    /// A social security number of the United States.
    SocialSecurityNumber,
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Key => "a key",
            Self::Token => "an access token",
            Self::PrivateKey => "a private key",
            Self::ConnectionString => "an address with a password",
            Self::CardNumber => "a card number",
            Self::CardCode => "a card's security code",
            Self::Password => "a password",
            Self::Pin => "a PIN",
            Self::OneTimeCode => "a one-time code",
            Self::SeedPhrase => "a seed phrase",
            Self::AccountNumber => "a bank account number",
            Self::SocialSecurityNumber => "a social security number",
        })
    }
}

/// What an instruction-like text tries. `Display` is a short name for messages: "a role".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Instruction {
    /// It sets the assistant's rules aside, or makes new ones.
    Override,
    /// It would end the place where it is shown: tags, fences, headings.
    BreakOut,
    /// It gives the assistant another role or speaks as another.
    Role,
    /// It asks for what the assistant keeps to itself.
    Reveal,
    /// It makes the assistant promote a product, a company or a person, or suppress one.
    Promotion,
    /// It says whom or what the assistant is to trust or obey.
    Trust,
    /// It makes the assistant call a tool, send something away or wait for a cue to do so.
    Tool,
    /// It makes the assistant lie to the user or keep something back.
    Deception,
    /// It holds a link or an image in disguise.
    Link,
}

impl fmt::Display for Instruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Override => "an instruction about the assistant's rules",
            Self::BreakOut => "markup that breaks out",
            Self::Role => "a role for the assistant",
            Self::Reveal => "a request for what is hidden",
            Self::Promotion => "an instruction to promote or suppress",
            Self::Trust => "an instruction whom to trust",
            Self::Tool => "a tool call",
            Self::Deception => "an instruction to deceive",
            Self::Link => "a disguised link",
        })
    }
}
