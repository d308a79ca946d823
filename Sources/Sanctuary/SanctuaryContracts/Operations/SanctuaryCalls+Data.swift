import Cofferdam
import CofferdamContracts
import SanctuaryDomain

extension SanctuaryCalls {
    static let order = PortCall<SanctuarySubject, OrderID, Order>(
        "order",
        get: { subject in { try await subject.services.orders.order($0) } },
        replace: { subject, perform in subject.replacingOrder { _, id in try await perform(id) } }
    )

    static let messages = PortCall<SanctuarySubject, ListQuery, ListPage<Message>>(
        "messages",
        get: { subject in { ListPage(try await subject.services.messages.messages(PageRequest($0))) } },
        replace: { subject, perform in
            let list: @Sendable (PageRequest) async throws -> Page<Message> = {
                Page(try await perform(ListQuery($0)))
            }
            return subject.with(\.services.messages, ReplacedMessages(clean: subject.services.messages, list: list))
        }
    )

    static let send = PortCall<SanctuarySubject, MessageDraft, Message>(
        "send",
        get: { subject in { try await subject.services.messages.send($0) } },
        replace: { subject, perform in
            subject.with(\.services.messages, ReplacedMessages(clean: subject.services.messages, send: perform))
        }
    )

    static let photo = PortCall<SanctuarySubject, AnimalID, Photo>(
        "photo",
        get: { subject in { try await subject.services.photos.photo(of: $0) } },
        replace: { subject, perform in
            subject.with(\.services.photos, ReplacedPhotos { id, _ in try await perform(id) })
        }
    )

    /// What is told of a picture on its way. Of one whose length is unknown, that is 0 until the end.
    static let photoProgress = PortCall<SanctuarySubject, AnimalID, ProgressRun>(
        "photo, with progress",
        get: { subject in
            { id in
                let told = Mutex<[PhotoProgress]>([])
                var hasFailed = false
                do {
                    _ = try await subject.services.photos.photo(of: id) { progress in
                        told.withLock { $0.append(progress) }
                    }
                } catch {
                    hasFailed = true
                }
                return ProgressRun(fractions: told.withLock { $0.map { $0.fraction ?? 0 } }, hasFailed: hasFailed)
            }
        },
        replace: { subject, perform in
            let clean = subject.services.photos
            let photos = ReplacedPhotos { id, progress in
                let run = try await perform(id)
                for fraction in run.fractions {
                    progress(PhotoProgress(completed: Int((fraction * 1_000_000).rounded()), total: 1_000_000))
                }
                if run.hasFailed { throw SanctuaryError(.unreachable, "the transfer has failed", subject: id.rawValue) }
                return try await clean.photo(of: id)
            }
            return subject.with(\.services.photos, photos)
        }
    )

    static let accessories = PortCall<SanctuarySubject, Void, [Accessory]>(
        "accessories",
        get: { subject in { _ in try await subject.services.accessories.accessories() } },
        replace: { subject, perform in
            let clean = subject.services.accessories
            return subject.with(
                \.services.accessories,
                ReplacedAccessories(clean: clean, all: { try await perform(()) })
            )
        }
    )

    static let activate = PortCall<SanctuarySubject, AccessoryID, Void>(
        "activate",
        get: { subject in { try await subject.services.accessories.activate($0) } },
        replace: { subject, perform in
            let clean = subject.services.accessories
            return subject.with(\.services.accessories, ReplacedAccessories(clean: clean, activate: perform))
        }
    )

    /// One accessory's nickname; `notFound` where it has none.
    static let nickname = PortCall<SanctuarySubject, AccessoryID, String>(
        "nickname",
        get: { subject in
            { id in
                guard let nickname = try await subject.services.accessories.nicknames()[id] else {
                    throw SanctuaryError(.notFound, "no nickname", subject: id.rawValue)
                }
                return nickname
            }
        },
        replace: { subject, perform in
            let nickname: @Sendable (AccessoryID) async throws -> String? = { id in
                do {
                    return try await perform(id)
                } catch  where SanctuaryError.isCode(.notFound, error) {
                    return nil
                }
            }
            let clean = subject.services.accessories
            return subject.with(\.services.accessories, ReplacedAccessories(clean: clean, nickname: nickname))
        }
    )

    static let forgetNickname = PortCall<SanctuarySubject, AccessoryID, Void>(
        "forget nickname",
        get: { subject in { try await subject.services.accessories.setNickname(nil, of: $0) } },
        replace: { subject, perform in
            let clean = subject.services.accessories
            return subject.with(\.services.accessories, ReplacedAccessories(clean: clean, forgetNickname: perform))
        }
    )

    // MARK: The vendor's side

    static let seedOddAnimals = PortCall<SanctuarySubject, PayloadOddity, OddSeed<AnimalID, Animal>>(
        "animals of which one is odd",
        get: { subject in { try await subject.probe.seedAnimals(odd: $0) } },
        replace: { subject, perform in subject.with(\.probe, MutatedProbe(clean: subject.probe, seedOdd: perform)) }
    )

    static let files = PortCall<SanctuarySubject, Void, Set<String>>(
        "files",
        get: { subject in { _ in try await subject.probe.files() } },
        replace: { subject, perform in
            let files: @Sendable () async throws -> Set<String> = { try await perform(()) }
            return subject.with(\.probe, MutatedProbe(clean: subject.probe, replacedFiles: files))
        }
    )

    static func strayFields(of operation: SanctuaryOperation) -> PortCall<SanctuarySubject, Void, [String]> {
        PortCall(
            "stray fields",
            get: { subject in { _ in try await subject.probe.strayFields(of: operation) } },
            replace: { subject, perform in
                let stray: @Sendable (SanctuaryOperation) async throws -> [String] = { asked in
                    asked == operation ? try await perform(()) : try await subject.probe.strayFields(of: asked)
                }
                return subject.with(\.probe, MutatedProbe(clean: subject.probe, strayFields: stray))
            }
        )
    }
}

extension SanctuarySubject {
    /// The subject with another part.
    fileprivate func with<Part>(_ part: WritableKeyPath<Self, Part>, _ value: Part) -> Self {
        var subject = self
        subject[keyPath: part] = value
        return subject
    }
}
