#if TestStand
    public import CofferdamContracts  // the families' vocabulary

    extension TestProxy {
        /// Acts out a vendor's fault on the next requests of an operation, or of all operations.
        ///
        /// - Throws: ``ProxyError/unsupported(fault:framing:)`` if the protocol has no such fault.
        public func inject(_ fault: VendorFault, on operation: String? = nil, times: Int = 1) throws {
            guard let action = framing.action(for: fault) else {
                throw ProxyError.unsupported(fault: "\(fault)", framing: framing.name)
            }
            apply(action, to: operation, times: times)
        }
    }

    extension HeldCalls {
        /// The calls that a subject's proxy holds.
        ///
        /// - Parameter proxy: throws `UnmetRequirements` for a subject without one, such as a fake's.
        public init(proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy) {
            self.init(
                wait: { try await proxy($0).waitForHeld(exactly: $1) },
                release: { try await proxy($0).release() }
            )
        }
    }

    extension ProbedCall {
        /// A call whose requests pass through a subject's proxy.
        ///
        /// - Parameters:
        ///   - operation: the name that the proxy's framing gives to the requests; `nil` if no other call makes
        ///     requests.
        ///   - proxy: throws `UnmetRequirements` for a subject without one, such as a fake's.
        public init(
            _ call: AnyPortCall<Subject>,
            isReading: Bool,
            operation: String?,
            proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy
        ) {
            self.init(
                call,
                isReading: isReading,
                inject: { try proxy($0).inject($1, on: operation, times: $2) },
                arrivals: { try proxy($0).arrivals(of: operation) },
                waitForArrivals: { try await proxy($0).waitForArrivals(of: operation, atLeast: $1) }
            )
        }
    }
#endif
