// What a simulated camera sees: a dim cellar with a chest, and the time.
import type { DevicePicture } from "../bindings/DevicePicture";

const WIDTH = 320;
const HEIGHT = 240;

export async function snapshot(name: string): Promise<DevicePicture> {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const c = canvas.getContext("2d");
  if (!c) throw new Error("no canvas");
  const light = c.createRadialGradient(190, 60, 10, 160, 130, 230);
  light.addColorStop(0, "#d9a860");
  light.addColorStop(0.4, "#6b4d2c");
  light.addColorStop(1, "#120d09");
  c.fillStyle = light;
  c.fillRect(0, 0, WIDTH, HEIGHT);
  c.fillStyle = "#2a1c10";
  c.fillRect(90, 130, 150, 70);
  c.fillStyle = "#3b2917";
  c.beginPath();
  c.ellipse(165, 130, 75, 30, 0, Math.PI, 0);
  c.fill();
  c.fillStyle = "#b58a3c";
  c.fillRect(156, 126, 18, 22);
  c.fillStyle = "rgb(0 0 0 / 55%)";
  c.fillRect(0, HEIGHT - 20, WIDTH, 20);
  c.fillStyle = "#f3f0e8";
  c.font = "11px monospace";
  c.fillText(`${name}  ${new Date().toISOString().slice(0, 19)}Z  simulated`, 8, HEIGHT - 7);
  const jpeg = canvas.toDataURL("image/jpeg", 0.8).split(",")[1] ?? "";
  return { jpeg, width: WIDTH, height: HEIGHT };
}
