import Identity
import Logging
import Wire

extension Node {
    /// Health warnings about the file with an enrolment token; one at a time.
    private static let enrolmentCode = "enrolment.file"
    private static let enrolmentPause = Duration.seconds(15)

    /// Joins the account for which a person has put a token on this machine, however long it takes to find it.
    /// - Parameters:
    ///   - file: The file with the token, which need not exist.
    ///   - timeoutMilliseconds: The duration of each search.
    package func enrol(with file: EnrolmentFile, timeoutMilliseconds: UInt64 = 45_000) async {
        do {
            guard let token = try file.read() else { return }
            while !Task.isCancelled {
                if try await enrol(token, from: file, timeoutMilliseconds: timeoutMilliseconds) { return }
                // Cancellation is how this ends.
                try? await Task.sleep(for: Self.enrolmentPause, tolerance: .seconds(2))
            }
        } catch let error as EnrolmentFile.Unusable {
            warn(error.message, fix: error.fix)
        } catch {
            logger.error("enrolment failed", metadata: ["error": "\(error)"])
        }
    }

    /// One search.
    /// - Returns: Whether there is nothing more to be done.
    private func enrol(
        _ token: EnrolmentToken,
        from file: EnrolmentFile,
        timeoutMilliseconds: UInt64
    ) async throws -> Bool {
        do {
            let outcome = try await Enrolment(sync).enrol(token, timeoutMilliseconds: timeoutMilliseconds)
            replica.health.clear(Self.enrolmentCode)
            logger.notice(
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
        replica.health.set(
            HealthWarning(code: Self.enrolmentCode, severity: .warning, message: message, fix: fix)
        )
    }
}
