import CofferdamContracts
import SanctuaryDomain

/// The opening and closing of instances of the services.
enum Instances {
    static let opening = Opening(
        nowhere: PortCall<SanctuarySubject, DeadAddress, SanctuarySubject>(
            "open nowhere",
            get: { $0.openNowhere },
            replace: { subject, perform in
                var subject = subject
                subject.openNowhere = perform
                return subject
            }
        ),
        close: PortCall<SanctuarySubject, Void, Void>(
            "close",
            get: { subject in { _ in await subject.services.close() } },
            replace: { subject, perform in
                var subject = subject
                // `close` does not throw, so a mutant's error is ignored.
                subject.services.close = { do { try await perform(()) } catch {} }
                return subject
            }
        ),
        reopen: PortCall<SanctuarySubject, Void, SanctuarySubject>(
            "reopen",
            get: { subject in
                { _ in
                    guard let reopen = subject.reopen else { throw UnmetRequirements(harnessCapabilities: [.relaunch]) }
                    return try await reopen()
                }
            },
            replace: { subject, perform in
                var subject = subject
                subject.reopen = { try await perform(()) }
                return subject
            }
        )
    )

    static let another = PortCall<SanctuarySubject, Void, SanctuarySubject>(
        "open another",
        get: { subject in
            { _ in
                guard let open = subject.openAnother else {
                    throw SanctuaryError(.unsupported, "there is only one instance", subject: "instances")
                }
                return try await open()
            }
        },
        replace: { subject, perform in
            var subject = subject
            subject.openAnother = { try await perform(()) }
            return subject
        }
    )
}
