#if canImport(Observation)
    public import Cofferdam  // an observed provider is the kit's

    extension DataProvider {
        /// This provider for Observation, as long as the result is kept: a view that reads `current` is drawn again when it
        /// changes.
        public var observed: ObservedProvider<StoreEvent<Model?>> { provider.observed }
    }

    extension CollectionDataProvider {
        /// This provider for Observation, as long as the result is kept: a view that reads `current` is drawn again when it
        /// changes.
        public var observed: ObservedProvider<StoreEvent<CollectionState<Model>>> { provider.observed }
    }
#endif
