#if canImport(Observation)
    import Cofferdam
    import CofferdamStore
    import Observation
    import Testing
    import TestSupport

    @Suite struct ProviderObservationTests {
        @Test func `Observation notifies the readers of a provider, a list and a derived list`() {
            let store = Store()
            let (one, list) = (DataProvider<Part>(id: 1, in: store), CollectionDataProvider<Part>(in: store))
            list.set(parts([1, 2]))
            let (first, second) = (one.provider.observed, list.provider.observed)
            let filtered = list.filtered { $0.value > 3 }
            let third = filtered.provider.observed
            let log = Log<String>()
            func read() {
                withObservationTracking {
                    _ = first.current
                } onChange: {
                    log.add("one")
                }
                withObservationTracking {
                    _ = second.current
                } onChange: {
                    log.add("list")
                }
                withObservationTracking {
                    _ = third.current
                } onChange: {
                    log.add("derived")
                }
            }
            read()
            store.set(Part(id: 1, value: 2))
            #expect(log.entries.sorted() == ["list", "one"])
            #expect(first.current.value?.value == 2 && second.current.value.elements[0].value == 2)
            read()
            store.set(Part(id: 2, value: 4))
            #expect(log.entries.sorted() == ["derived", "derived", "list", "list", "one"])
        }
    }
#endif
