#if canImport(Observation)
    import Cofferdam
    import Observation
    import Testing
    import TestSupport

    @Suite struct ObservedProviderTests {
        @Test func `a reader of the value is notified of the next change and reads it`() {
            let source = ProviderSource(1)
            let observed = source.provider.observed
            let notified = Log<Int>()
            let read = withObservationTracking {
                observed.current
            } onChange: {
                notified.add(observed.current)
            }
            #expect(read == 1)
            #expect(notified.entries.isEmpty)
            source.set(2)
            source.set(3)
            #expect(notified.entries == [2])
            #expect(observed.current == 3)
        }

        @Test func `without a read there is no notification`() {
            let source = ProviderSource(1)
            let observed = source.provider.observed
            withObservationTracking {
            } onChange: {
                Issue.record("nothing was read")
            }
            source.set(2)
            #expect(observed.current == 2)
        }

        @Test func `a change between two reads is not missed, from any thread`() async {
            let source = ProviderSource(0)
            let observed = source.provider.observed
            let last = Log<Int>()
            @Sendable func follow() {
                let value = withObservationTracking {
                    observed.current
                } onChange: {
                    follow()
                }
                last.add(value)
            }
            follow()
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { for _ in 0..<100 { source.update { $0 += 1 } } } }
            }
            await until { last.entries.max() == 400 }
        }

        @Test func `it stops listening when it is released`() {
            let source = ProviderSource(1)
            do {
                let observed = source.provider.observed
                #expect(observed.current == 1)
                #expect(source.listenerCount == 1)
            }
            #expect(source.listenerCount == 0)
        }
    }
#endif
