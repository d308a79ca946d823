import Cofferdam
import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

// Pictures, accounts and nicknames, which have no type of their own that holds all of their fields and an id.
extension Values {
    private static let usualPhoto = Photo(bytes: [0x42, 0x4D], mediaType: "image/bmp")

    static let photos = ShownFields<SanctuarySubject, AnimalID, Picture>(
        fields: [
            Field("bytes", \.photo.bytes, .bytes),
            Field(
                "mediaType",
                \.photo.mediaType,
                .enumeration(
                    ["image/bmp": "image/bmp", "image/png": "image/png", "image/svg+xml": "image/svg+xml"]
                ).adding("application/octet-stream", because: "bytes of no type are taken for a page")
            ),
        ],
        shownBy: [.get(SanctuaryCalls.picture)],
        id: \.id,
        usual: Picture(id: AnimalID(""), photo: usualPhoto),
        prepare: { try await $0.probe.reset(.empty) },
        hold: { subject, pictures in
            var held: [Picture] = []
            for picture in pictures {
                let id = try await subject.probe.addAnimal(.cat)
                try await subject.probe.setPhoto(picture.photo, of: id)
                held.append(Picture(id: id, photo: picture.photo))
            }
            return held
        },
        unreadable: [.failing("a page in place of a picture", at: "Content-Type") { $0.photo.mediaType = "text/html" }],
        errors: Gets.errors
    )

    /// ISO 4217's code for "no currency", which stands for a code here that is none.
    private static let none = Currency("XXX")

    static let signedInAccounts = accounts(
        shownBy: SanctuaryCalls.signedInAccount,
        unreadable: [.failing("a currency that is none", at: "currency") { $0.currency = none ?? $0.currency }]
    )
    /// A user whose account cannot be read is not signed in, so the state shows none of them.
    static let accountStates = accounts(shownBy: SanctuaryCalls.accountState, unreadable: [])

    private static func accounts(
        shownBy call: PortCall<SanctuarySubject, String, Account>,
        unreadable: [UnreadableValue<Account>]
    ) -> ShownFields<SanctuarySubject, String, Account> {
        ShownFields(
            fields: [
                Field("displayName", \.displayName, .text),
                Field("currency", \.currency, .enumeration(["EUR": .eur, "JPY": .jpy, "KWD": .kwd])),
            ],
            shownBy: [.get(call)],
            id: \.id,
            usual: Account(id: "", displayName: "Amara", currency: .eur),
            prepare: { try await $0.probe.reset(.empty) },
            hold: { subject, accounts in
                var held: [Account] = []
                for account in accounts {
                    let user = Account(
                        id: "value-\(held.count)",
                        displayName: account.displayName,
                        currency: account.currency
                    )
                    try await subject.probe.addUser(
                        user.id,
                        displayName: user.displayName,
                        currency: user.currency == none ? "no currency" : user.currency.code
                    )
                    held.append(user)
                }
                return held
            },
            unreadable: unreadable,
            errors: Gets.errors
        )
    }

    /// An empty nickname is none.
    private static let nickname = FieldKind.text.leavingOut { $0.isEmpty }

    static let nicknames = ShownFields<SanctuarySubject, AccessoryID, Nickname>(
        fields: [Field("nickname", \.text, nickname).requiring(Capability.nicknames.tag)],
        shownBy: [.list(SanctuaryCalls.nicknamePages)],
        id: \.id,
        usual: Nickname(id: AccessoryID(""), text: "Rex"),
        prepare: { try await $0.probe.reset(.empty) },
        hold: { subject, nicknames in
            var held: [Nickname] = []
            for nickname in nicknames {
                let named = Nickname(id: AccessoryID("value-\(held.count)"), text: nickname.text)
                try await subject.probe.updateAccessory(named.id, name: "Collar", battery: Battery(percent: 57))
                try await subject.probe.setNickname(named.text, of: named.id)
                held.append(named)
            }
            return held
        }
    )

    static let setNickname = WrittenFields<SanctuarySubject, Nickname, Nickname>(
        call: SanctuaryCalls.setOneNickname,
        isAnswered: false,
        fields: [Field("nickname", \.text, nickname).requiring(Capability.nicknames.tag)],
        prepare: { subject in
            try await subject.probe.reset(.empty)
            try await subject.probe.updateAccessory(named, name: "Collar", battery: Battery(percent: 57))
        },
        draft: { _, _ in Nickname(id: named, text: "Rex") },
        answered: { draft, _ in draft },
        held: { Nickname(id: $1.id, text: try await $0.probe.nicknameHeld(of: $1.id)) },
        read: { subject, nickname in
            let names = try await subject.services.accessories.nicknames()
            return Nickname(id: nickname.id, text: names[nickname.id] ?? "")
        },
        rejectedField: rejectedField
    )

    private static let named = AccessoryID("value-7")
}

/// A picture with its animal.
struct Picture: Sendable, Hashable {
    var id: AnimalID
    var photo: Photo
}

/// A nickname with its accessory.
struct Nickname: Sendable, Hashable {
    var id: AccessoryID
    var text: String
}

extension SanctuaryCalls {
    static let picture = PortCall<SanctuarySubject, AnimalID, Picture>(
        photo.name,
        get: { subject in { Picture(id: $0, photo: try await photo(subject, $0)) } },
        replace: { subject, perform in photo.replaced(in: subject) { _, id in try await perform(id).photo } }
    )

    /// The account that a user's sign-in returns.
    static let signedInAccount = PortCall<SanctuarySubject, String, Account>(
        signIn.name,
        get: { subject in
            { try await signIn(subject, Credentials(user: $0, password: subject.credentials.password)) }
        },
        replace: { subject, perform in
            signIn.replaced(in: subject) { _, credentials in try await perform(credentials.user) }
        }
    )

    /// The account that the device knows once a user has signed in.
    static let accountState = PortCall<SanctuarySubject, String, Account>(
        AccountsOperations.state.name,
        get: { subject in
            { user in
                _ = try await signedInAccount(subject, user)
                guard case .signedIn(let account) = try await subject.services.accounts.state() else {
                    throw SanctuaryError(.authenticationRequired, "no user is signed in", subject: user)
                }
                return account
            }
        },
        replace: { subject, perform in
            PortPlace.accounts.replacing(AccountsOperations.state, in: subject) { clean, input in
                let state = try await clean(input)
                guard case .signedIn(let account) = state else { return state }
                return .signedIn(try await perform(account.id))
            }
        }
    )

    /// All nicknames, as a list of one page.
    static let nicknamePages = PortCall<SanctuarySubject, ListQuery, ListPage<Nickname>>(
        nicknames.name,
        get: { subject in
            { _ in
                ListPage(items: try await nicknames(subject, ()).map { Nickname(id: $0, text: $1) }, next: nil)
            }
        },
        replace: { subject, perform in
            nicknames.replaced(in: subject) { _, _ in
                let named = try await perform(ListQuery(limit: .max)).items
                return Dictionary(named.map { ($0.id, $0.text) }) { first, _ in first }
            }
        }
    )

    static let setOneNickname = PortCall<SanctuarySubject, Nickname, Nickname>(
        setNickname.name,
        get: { subject in
            { nickname in
                try await setNickname(subject, (nickname.text, nickname.id))
                return nickname
            }
        },
        replace: { subject, perform in
            setNickname.replaced(in: subject) { clean, input in
                guard let text = input.0 else { return try await clean(input) }
                _ = try await perform(Nickname(id: input.1, text: text))
            }
        }
    )
}
