import CofferdamContracts
import SanctuaryDomain

enum AuthenticationMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("AUTH-01", "surfaces the 401 although it has refreshed") { subject, effect in
            let probe = subject.probe
            return subject.replacingOrders { orders, request in
                let before = try await probe.calls(of: .refresh)
                let page = try await orders.orders(request)
                if try await probe.calls(of: .refresh) > before {
                    effect.occurred()
                    throw SanctuaryError(.authenticationRequired, "the access token has expired")
                }
                return page
            }
        },
        Mutant("AUTH-02", "refreshes for each caller") { subject, effect in
            let probe = subject.probe
            return subject.replacingOrders { orders, request in
                _ = try await orders.orders(request)
                try await probe.expireAccessTokens()
                effect.occurred()
                return try await orders.orders(request)
            }
        },
        Mutant("AUTH-10", "shows an empty list to whoever is not signed in") { subject, effect in
            subject.replacingOrders { orders, request in
                do {
                    return try await orders.orders(request)
                } catch  where SanctuaryError.isCode(.authenticationRequired, error) {
                    effect.occurred()
                    return Page(items: [], next: nil)
                }
            }
        },
        Mutant("AUTH-10", "signs in with any password") { subject, effect in
            var subject = subject
            let right = subject.credentials
            subject.services.accounts = MutatedAccounts(clean: subject.services.accounts) { credentials in
                if credentials != right { effect.occurred() }
                return right
            }
            return subject
        },
    ]
}
