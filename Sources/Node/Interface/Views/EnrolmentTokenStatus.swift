package import Wire

/// A new enrolment token.
package struct EnrolmentTokenStatus: Sendable {
    /// The text of the token, which goes into the file.
    package var token: String
    /// The number of machines that the token lets in.
    package var uses: Int
    /// The end of its lifetime, in milliseconds since 1970.
    package var expiresMilliseconds: UInt64
    /// The role of these machines.
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
