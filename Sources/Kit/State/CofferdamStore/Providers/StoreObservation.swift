import Cofferdam
public import CofferdamState  // its observed value follows what a store shows

extension Observed {
    /// Follows a provider's model.
    public convenience init<Model>(_ provider: DataProvider<Model>) where Value == Model? {
        self.init(provider, current: provider.data) { body in provider.provider.listen { body($0.value) } }
    }

    /// Follows a provider's list.
    public convenience init<Model>(_ provider: CollectionDataProvider<Model>) where Value == PersistentList<Model> {
        self.init(provider, current: provider.data) { body in provider.provider.listen { body($0.value.elements) } }
    }

    /// Follows a derived list.
    public convenience init<Model>(_ list: DerivedCollection<Model>) where Value == PersistentList<Model> {
        self.init(list, current: list.elements) { body in list.provider.listen { body($0.value.elements) } }
    }

    /// Follows a list in a store.
    public convenience init<Model>(_ list: StoreCollection<Model>) where Value == PersistentList<Model> {
        self.init(list, current: list.elements) { body in list.listen { body($0.value.elements) } }
    }

    /// Follows a list that is loaded.
    ///
    /// - Parameter isActive: whether to keep the list in sync meanwhile, as `Loadable.activate()` does.
    public convenience init<Model>(_ list: StoreList<Model>, isActive: Bool = false)
    where Value == LoadableSnapshot<[Model]> {
        self.init(list, current: list.loadable.snapshot) { list.loadable.observe(isActive: isActive, $0) }
    }
}
