//! The rules that join several parts of a policy. What concerns one part alone stands with that part.

use super::check;
use super::{Policy, PolicyError};
use std::collections::BTreeSet;

const MOST_CATEGORIES: usize = 32;
const MOST_DOMAINS: usize = 64;

impl Policy {
    /// Checks every rule of a policy.
    ///
    /// # Errors
    /// [`PolicyError::Field`] for the first broken rule: its path names the field to change, as in
    /// `categories[2].budget`, and its message says what is allowed.
    pub fn validate(&self) -> Result<(), PolicyError> {
        check::name("name", &self.name)?;
        self.block.validate()?;
        self.validate_categories()?;
        self.validate_domains()?;
        self.governance.validate()?;
        self.tools.validate()?;
        self.floors.validate()?;
        self.feedback.validate()?;
        self.time_to_live.validate()?;
        self.extraction.validate()?;
        self.close.validate()?;
        self.grades.validate()?;
        self.consolidation.validate()?;
        self.digests.validate()?;
        self.limits.validate()?;
        self.recall.validate(self.limits.results)?;
        self.compression.validate()?;
        self.retention.validate()
    }

    fn validate_categories(&self) -> Result<(), PolicyError> {
        if self.categories.is_empty() || self.categories.len() > MOST_CATEGORIES {
            return Err(PolicyError::field(
                "categories",
                format!(
                    "has {} entries, must have from 1 to {MOST_CATEGORIES}",
                    self.categories.len()
                ),
            ));
        }
        let mut unique = Unique::default();
        for (index, category) in self.categories.iter().enumerate() {
            let path = format!("categories[{index}]");
            category.validate(&path, self.block.budget)?;
            unique.add(&path, &category.name, &category.title)?;
        }
        let known = || {
            let names: Vec<&str> = self
                .writable_categories()
                .map(|category| category.name.as_str())
                .collect();
            format!("must be one of: {}", names.join(", "))
        };
        match self.category(&self.default_category) {
            None => Err(PolicyError::field(
                "default_category",
                format!("is not among the categories, {}", known()),
            )),
            Some(category) if !category.kind.is_writable() => Err(PolicyError::field(
                "default_category",
                format!("is a category that only the library writes, {}", known()),
            )),
            Some(_) => Ok(()),
        }
    }

    fn validate_domains(&self) -> Result<(), PolicyError> {
        if self.domains.len() > MOST_DOMAINS {
            return Err(PolicyError::field(
                "domains",
                format!(
                    "has {} entries, must have at most {MOST_DOMAINS}",
                    self.domains.len()
                ),
            ));
        }
        let mut unique = Unique::default();
        for (index, domain) in self.domains.iter().enumerate() {
            let path = format!("domains[{index}]");
            domain.validate(&path)?;
            unique.add(&path, &domain.name, &domain.title)?;
        }
        Ok(())
    }
}

/// Names tell rows apart and titles tell headings apart, so neither may come twice in one list.
#[derive(Default)]
struct Unique<'a> {
    names: BTreeSet<&'a str>,
    titles: BTreeSet<&'a str>,
}

impl<'a> Unique<'a> {
    fn add(&mut self, path: &str, name: &'a str, title: &'a str) -> Result<(), PolicyError> {
        for (set, field, value) in [
            (&mut self.names, "name", name),
            (&mut self.titles, "title", title),
        ] {
            if !set.insert(value) {
                return Err(PolicyError::field(
                    format!("{path}.{field}"),
                    format!("{value:?} is used twice, must be unique in its list"),
                ));
            }
        }
        Ok(())
    }
}
