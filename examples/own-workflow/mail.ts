export async function sendMail(subject: string): Promise<void> {
  console.log(`mail: ${subject}`);
}
