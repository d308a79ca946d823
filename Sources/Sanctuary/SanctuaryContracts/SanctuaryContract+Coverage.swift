public import CofferdamContracts  // the coverage is the kit's value
import SanctuaryOperations

extension SanctuaryContract {
    /// Which rules judge which operations of the six ports.
    public static let coverage = ContractCoverage(
        operations: [
            .init(CatalogueOperations.animals), .init(CatalogueOperations.animal), .init(PhotosOperations.photo),
            .init(AccessoriesOperations.accessories), .init(AccessoriesOperations.scan),
            .init(AccessoriesOperations.activate), .init(AccessoriesOperations.release),
            .init(AccessoriesOperations.perform), .init(AccessoriesOperations.nicknames),
            .init(AccessoriesOperations.setNickname, alsoCalled: "forgetNickname"),
            .init(AccessoriesOperations.events), .init(OrdersOperations.orders), .init(OrdersOperations.order),
            .init(OrdersOperations.place), .init(MessagesOperations.messages), .init(MessagesOperations.send),
            .init(MessagesOperations.events), .init(AccountsOperations.signIn), .init(AccountsOperations.signOut),
            .init(AccountsOperations.state),
        ],
        gaps: [
            CoverageGap(
                "animals",
                "animal",
                "accessories",
                "scan",
                "activate",
                "release",
                "perform",
                "nicknames",
                "setNickname",
                "orders",
                "order",
                "place",
                "messages",
                "send",
                "signIn",
                "signOut",
                "state",
                in: ["BIN"],
                because: "only pictures are bytes"
            ),
            CoverageGap(
                "nicknames",
                "state",
                in: ["GET"],
                because: "it is asked without an id; VALUE judges what it shows"
            ),
            CoverageGap("scan", "release", in: ["MUT"], because: "LIFE-05's programs judge its effect"),
            CoverageGap("signIn", "signOut", in: ["MUT"], because: "AUTH judges its effect"),
            CoverageGap("signIn", "signOut", "state", in: ["AUTH"], because: "every rule of AUTH calls it"),
            CoverageGap("nicknames", "setNickname", in: ["AUTH"], because: "the vendor asks no user for it"),
            CoverageGap("signOut", "state", in: ["ERR"], because: "it does not fail with the vendor: see AUTH-15"),
            CoverageGap("activate", in: ["LIFE"], because: "at one vendor it is several calls"),
            CoverageGap("signOut", "state", in: ["LIFE"], because: "it is about the device, not about an answer"),
            CoverageGap(
                "scan",
                "activate",
                "release",
                "perform",
                "setNickname",
                "signIn",
                "signOut",
                in: ["WAIT"],
                because: "it carries no key, and is not kept"
            ),
        ]
    )
}
