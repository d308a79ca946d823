extension Loadable {
    /// Takes over what has become known elsewhere of contents that are there; without any, it does nothing.
    ///
    /// It is no loading: state, error and age stay, and a run that goes on commits on top, unless a local write has overtaken
    /// it. `change` runs under a lock: keep it short, and call nothing back.
    public func correct(_ change: (Contents) -> Contents) { amend(change) }
}
