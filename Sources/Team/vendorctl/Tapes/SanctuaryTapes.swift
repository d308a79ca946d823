#if Sandbox
import Cofferdam
import CofferdamContracts
import CofferdamTool
import SanctuaryContracts
import SanctuaryDomain
import SanctuaryOperations

/// Returns the reads that a tape of one adapter holds, made by a user who is signed in.
func sanctuaryTapes() -> TapeTooling<SanctuarySubject> {
    TapeTooling(calls: calls, errors: SanctuaryErrorRecord.self, known: tapeDifferences) { subject in
        _ = try await subject.services.accounts.signIn(subject.credentials)
        // Each adapter has different secrets, so all of them get one name.
        let secrets = try await subject.probe.secrets() + [subject.credentials.password]
        return secrets.reduce(TapeRedaction.sanctuarySubject) { $0.secret("session", $1) }
    }
}

private let calls: [TapedCall<SanctuarySubject>] = [
    TapedCall(
        CatalogueOperations.animals,
        of: "catalogue",
        on: { $0.services.catalogue },
        calls: [AnimalsRequest(PageRequest()), AnimalsRequest(PageRequest(), group: .fish)]
    ),
    TapedCall(
        CatalogueOperations.animal,
        of: "catalogue",
        on: { $0.services.catalogue },
        calls: ["1", "7", "102", "999999"].map { AnimalID($0) }
    ),
    TapedCall(
        PhotosOperations.photo,
        of: "photos",
        on: { $0.services.photos },
        calls: ["1", "102"].map { PhotosOperations.Request(AnimalID($0)) }
    ),
    TapedCall(AccessoriesOperations.accessories, of: "accessories", on: { $0.services.accessories }),
    TapedCall(OrdersOperations.orders, of: "orders", on: { $0.services.orders }, calls: [PageRequest()]),
    TapedCall(OrdersOperations.order, of: "orders", on: { $0.services.orders }, calls: [OrderID("none")]),
    TapedCall(MessagesOperations.messages, of: "messages", on: { $0.services.messages }, calls: [PageRequest()]),
    TapedCall(AccountsOperations.state, of: "accounts", on: { $0.services.accounts }),
]
#endif
