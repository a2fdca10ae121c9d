/// The outcome of one check of the doctor.
package struct CheckOutcome: Hashable, Sendable {
    /// Stable, for scripts: the check's, or that of a warning which belongs to none.
    package var code: String
    /// Whether it has found nothing.
    package var isGood: Bool
    /// The severity of the finding; `info` where there is none.
    package var severity: HealthWarning.Severity
    /// The finding, or the object of the check.
    package var message: String
    /// The way out; empty where nothing was found.
    package var fix: String
    /// The statements of other devices that the outcome is made of; empty for a check of this device alone.
    package var statements: [DeviceStatement] = []

    /// A check that has found nothing.
    package init(good code: String, _ message: String) {
        (self.code, isGood, severity, self.message, fix) = (code, true, .info, message, "")
    }

    /// A check that has found something.
    package init(_ code: String, _ severity: HealthWarning.Severity, _ message: String, fix: String) {
        (self.code, isGood, self.severity, self.message, self.fix) = (code, false, severity, message, fix)
    }

    /// A check whose finding is a raised warning; one that a person has acknowledged is no finding any more.
    init(_ code: String, _ warning: HealthWarning) {
        if warning.isAcknowledged {
            self.init(good: code, "Acknowledged: \(warning.message)")
        } else {
            self.init(code, warning.severity, warning.message, fix: warning.fix)
        }
    }
}
