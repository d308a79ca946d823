#if canImport(Observation)
    public import Cofferdam  // an observed provider is the kit's

    extension DataProvider {
        /// This provider for Observation: a view that reads `current` is drawn again when it changes. Hold both
        /// strongly.
        public var observed: ObservedProvider<StoreEvent<Model?>> { provider.observed }
    }

    extension CollectionDataProvider {
        /// This provider for Observation: a view that reads `current` is drawn again when it changes. Hold both
        /// strongly.
        public var observed: ObservedProvider<StoreEvent<CollectionState<Model>>> { provider.observed }
    }

    extension DerivedCollection {
        /// This list for Observation: a view that reads `current` is drawn again when it changes. Hold both strongly.
        public var observed: ObservedProvider<Event> { provider.observed }
    }
#endif
