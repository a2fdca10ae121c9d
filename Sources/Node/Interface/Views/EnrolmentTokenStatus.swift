package import Wire

/// A new enrolment token.
package struct EnrolmentTokenStatus: Sendable {
    /// What goes into the file.
    package var token: String
    /// How many machines it lets in.
    package var uses: Int
    /// When it ends, in milliseconds since 1970.
    package var expiresMilliseconds: UInt64
    /// What these machines may do.
    package var role: DeviceRole

    /// Makes a status.
    package init(token: String, uses: Int, expiresMilliseconds: UInt64, role: DeviceRole) {
        self.token = token
        self.uses = uses
        self.expiresMilliseconds = expiresMilliseconds
        self.role = role
    }
}

extension EnrolmentTokenStatus: UnprintedSecret {
    package var description: String { "enrolment token" }
}
