import CofferdamContracts
import SanctuaryDomain

enum ListMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("LIST-01", "drops the last item of a full page") { subject, effect in
            subject.replacingAnimals { catalogue, request in
                var page = try await catalogue.animals(request)
                if page.items.count == request.limit {
                    page.items.removeLast()
                    effect.occurred()
                }
                return page
            }
        },
        Mutant("LIST-02", "always returns a cursor") { subject, effect in
            let endless = Cursor("on-and-on")
            return subject.replacingAnimals { catalogue, request in
                if request.cursor == endless { return Page(items: [], next: endless) }
                var page = try await catalogue.animals(request)
                if page.next == nil {
                    page.next = endless
                    effect.occurred()
                }
                return page
            }
        },
        Mutant("LIST-03", "stops on an empty page") { subject, effect in
            subject.replacingAnimals { catalogue, request in
                var page = try await catalogue.animals(request)
                if page.items.isEmpty, page.next != nil {
                    page.next = nil
                    effect.occurred()
                }
                return page
            }
        },
        Mutant("LIST-04", "takes the empty cursor for the end") { subject, effect in
            subject.replacingAnimals { catalogue, request in
                var page = try await catalogue.animals(request)
                if page.next == Cursor("") {
                    page.next = nil
                    effect.occurred()
                }
                return page
            }
        },
        Mutant("LIST-05", "stops silently at a repeated cursor") { subject, effect in
            subject.replacingAnimals { catalogue, request in
                do {
                    return try await catalogue.animals(request)
                } catch  where SanctuaryError.isCode(.invalidCursor, error) {
                    effect.occurred()
                    return Page(items: [], next: nil)
                }
            }
        },
        Mutant("LIST-06", "starts again from page one for a cursor it does not know") { subject, effect in
            subject.replacingAnimals { catalogue, request in
                do {
                    return try await catalogue.animals(request)
                } catch  where SanctuaryError.isCode(.invalidCursor, error) {
                    effect.occurred()
                    return try await catalogue.animals(PageRequest(limit: request.limit))
                }
            }
        },
        Mutant("LIST-06", "starts again from page one for a cursor of its own that has expired") { subject, effect in
            let own = Seen<Cursor>()
            return subject.replacingAnimals { catalogue, request in
                do {
                    let page = try await catalogue.animals(request)
                    if let next = page.next { _ = own.isNew(next) }
                    return page
                } catch  where SanctuaryError.isCode(.invalidCursor, error) {
                    guard let cursor = request.cursor, own.contains(cursor) else { throw error }
                    effect.occurred()
                    return try await catalogue.animals(PageRequest(limit: request.limit))
                }
            }
        },
    ]
}
