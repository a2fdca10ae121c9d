import Identity
import Logging
import Wire

/// Joins the account for which a person has put a token on this machine.
struct UnattendedEnrolment: Sendable {
    /// Health warnings about the file with an enrolment token; one at a time.
    private static let code = "enrolment.file"
    private static let pause = Duration.seconds(15)

    private let sync: SyncService
    /// The file with the token, which need not exist.
    private let file: EnrolmentFile

    /// Enrols a service's device.
    init(_ sync: SyncService, file: EnrolmentFile) {
        (self.sync, self.file) = (sync, file)
    }

    /// Joins the account, however long it takes to find it.
    func run() async {
        do {
            guard let token = try file.read() else { return }
            while !Task.isCancelled {
                if try await enrol(token) { return }
                // Cancellation is how this ends.
                try? await Task.sleep(for: Self.pause, tolerance: .seconds(2))
            }
        } catch let error as EnrolmentFile.Unusable {
            warn(error.message, fix: error.fix)
        } catch {
            sync.dependencies.logger.error("enrolment failed", metadata: ["error": "\(error)"])
        }
    }

    /// One search.
    /// - Returns: Whether there is nothing more to be done.
    private func enrol(_ token: EnrolmentToken) async throws -> Bool {
        do {
            let outcome = try await Enrolment(sync).enrol(token)
            sync.dependencies.commitService.health.clear(Self.code)
            sync.dependencies.logger.notice(
                "enrolled",
                metadata: ["account.id": "\(outcome.account.shortText)", "by": "\(outcome.name)"]
            )
        } catch {
            switch error.code {
            case .accountHasDevices:
                warn(
                    "\(file.path) is ignored: this device's account has other devices.",
                    fix: "Remove the file; or remove the device from its account first, and start the daemon again."
                )
                return true
            case .ticketUsed, .ticketExpired, .forbidden, .deviceHasZones:
                warn("\(file.path): \(error.message)", fix: error.fix)
                return true
            default:
                if !Task.isCancelled { warn("\(file.path): \(error.message)", fix: error.fix) }
                return false
            }
        }
        try file.remove()
        return true
    }

    private func warn(_ message: String, fix: String) {
        sync.dependencies.commitService.health.set(
            HealthWarning(code: Self.code, severity: .warning, message: message, fix: fix)
        )
    }
}
