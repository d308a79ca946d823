import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

extension SanctuaryCalls {
    static let photo = PortCall<SanctuarySubject, AnimalID, Photo>(
        "photo",
        get: { subject in { try await subject.services.photos.photo(of: $0) } },
        replace: { subject, perform in
            PortPlace.photos.replacing(PhotosOperations.photo, in: subject) { _, request in
                try await perform(request.id)
            }
        }
    )

    /// The progress reports of a picture's transfer. They stay at 0 until the end if the length is unknown.
    static let photoProgress = PortCall<SanctuarySubject, ReportedInput<AnimalID>, Void>(
        "photo, with progress",
        get: { subject in
            { reported in
                _ = try await subject.services.photos.photo(of: reported.input) { progress in
                    reported.report(progress.fraction ?? 0)
                }
            }
        },
        replace: { subject, perform in
            subject.with(\.services.photos, ReportingPhotos(clean: subject.services.photos, run: perform))
        }
    )

    /// One accessory's nickname; throws `notFound` if it has none.
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
            PortPlace.accessories.replacing(AccessoriesOperations.nicknames, in: subject) { clean, _ in
                guard !(try await clean(()).isEmpty) else { return [:] }
                var nicknames: [AccessoryID: String] = [:]
                for accessory in try await subject.services.accessories.accessories() {
                    do {
                        nicknames[accessory.id] = try await perform(accessory.id)
                    } catch  where SanctuaryError.isCode(.notFound, error) {
                        continue
                    }
                }
                return nicknames
            }
        }
    )

    static let forgetNickname = PortCall<SanctuarySubject, AccessoryID, Void>(
        "forget nickname",
        get: { subject in { try await subject.services.accessories.setNickname(nil, of: $0) } },
        replace: { subject, perform in
            PortPlace.accessories.replacing(AccessoriesOperations.setNickname, in: subject) { clean, input in
                guard input.0 == nil else { return try await clean(input) }
                try await perform(input.1)
            }
        }
    )

    // MARK: The vendor's side

    static let files = PortCall<SanctuarySubject, Void, Set<String>>(
        "files",
        get: { subject in { try await subject.probe.files() } },
        replace: { subject, perform in
            subject.with(\.probe, MutatedProbe(clean: subject.probe, replacedFiles: perform))
        }
    )

    static func strayFields(of operation: SanctuaryOperation) -> PortCall<SanctuarySubject, Void, [String]> {
        PortCall(
            "stray fields",
            get: { subject in { try await subject.probe.strayFields(of: operation) } },
            replace: { subject, perform in
                let stray: @Sendable (SanctuaryOperation) async throws -> [String] = { asked in
                    asked == operation ? try await perform() : try await subject.probe.strayFields(of: asked)
                }
                return subject.with(\.probe, MutatedProbe(clean: subject.probe, strayFields: stray))
            }
        )
    }
}

extension SanctuarySubject {
    /// Returns the subject with one part replaced.
    fileprivate func with<Part>(_ part: WritableKeyPath<Self, Part>, _ value: Part) -> Self {
        var subject = self
        subject[keyPath: part] = value
        return subject
    }
}

/// Photos that report progress as a mutant dictates, without the guard of the table's operation.
private struct ReportingPhotos: Photos {
    let clean: any Photos
    let run: @Sendable (ReportedInput<AnimalID>) async throws -> Void

    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        try await run(
            ReportedInput(id) { fraction in
                progress(PhotoProgress(completed: Int((fraction * 1_000_000).rounded()), total: 1_000_000))
            }
        )
        return try await clean.photo(of: id)
    }
}
